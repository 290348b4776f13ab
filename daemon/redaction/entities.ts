/**
 * The HTML names of ASCII characters (HTML Living Standard, 13.5), which every encoder uses, and those of Latin-1 in
 * the order of their code points, from U+00A0.
 */
const ASCII: Readonly<Record<string, string>> = {
  Tab: "\t",
  NewLine: "\n",
  excl: "!",
  QUOT: '"',
  quot: '"',
  num: "#",
  dollar: "$",
  percnt: "%",
  AMP: "&",
  amp: "&",
  apos: "'",
  lpar: "(",
  rpar: ")",
  ast: "*",
  midast: "*",
  plus: "+",
  comma: ",",
  period: ".",
  sol: "/",
  colon: ":",
  semi: ";",
  LT: "<",
  lt: "<",
  equals: "=",
  GT: ">",
  gt: ">",
  quest: "?",
  commat: "@",
  lbrack: "[",
  lsqb: "[",
  bsol: "\\",
  rbrack: "]",
  rsqb: "]",
  Hat: "^",
  UnderBar: "_",
  lowbar: "_",
  DiacriticalGrave: "`",
  grave: "`",
  lbrace: "{",
  lcub: "{",
  VerticalLine: "|",
  verbar: "|",
  vert: "|",
  rbrace: "}",
  rcub: "}",
};
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml".split(
    " ",
  );

/** By the hash of the name. These have distinct hashes; another name with the same hash is merely decoded wrongly. */
const NAMED = new Map(
  [...LATIN_1.map((name, index) => [name, 0xa0 + index] as const), ...asciiPoints()].map(
    ([name, point]) => [hashOf(name.length, (at) => name.charCodeAt(at)), point] as const,
  ),
);

/** The character for the name `amp` or `eacute`, given in these units; in lower case too, as a header may have it. */
export function characterOfName(units: Uint16Array, start: number, end: number): number | undefined {
  const exact = NAMED.get(hashOf(end - start, (at) => units[start + at] ?? 0));
  return exact ?? NAMED.get(hashOf(end - start, (at) => (units[start + at] ?? 0) | 32));
}

function hashOf(length: number, unitAt: (at: number) => number): number {
  let hash = length;
  for (let at = 0; at < length; at++) hash = (Math.imul(hash, 31) + unitAt(at)) | 0;
  return hash;
}

function asciiPoints(): (readonly [string, number])[] {
  return Object.entries(ASCII).map(([name, char]) => [name, char.charCodeAt(0)] as const);
}
