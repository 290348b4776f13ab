/** Something in a query whose writing tells what it is: "81.2.69.142" is an address of the internet. */
export interface WrittenForm {
  /** As the caller wrote it. */
  readonly written: string;
  /** What APIs call such a thing. */
  readonly called: readonly string[];
  /** Above 0 and below 1: how much each of these is asked for, beside a word of the query. */
  readonly weight: number;
  /** Its letters and digits are no words: "10.1038" is nothing to search for. */
  readonly isOpaque: boolean;
}

type Form = Omit<WrittenForm, "written"> & { readonly pattern: RegExp };

const DOMAIN =
  /(?<![@\w.-])(?:[a-z\d-]+\.)+(?:com|org|net|io|dev|gov|edu|eu|de|fr|uk|it|es|nl|ch|info|ai|app)(?![\w-])/gi;

/** In the order in which they are looked for: what one has taken is nothing for those after it. */
const FORMS: readonly Form[] = [
  opaque(/\b10\.\d{4,9}\/[^\s"<>]+[^\s"<>.,;:?!)]/g, ["doi", "paper", "works"], 0.9),
  { pattern: /\bhttps?:\/\/[^\s"<>]+[^\s"<>.,;:?!)]/gi, called: ["web page", "url"], weight: 0.6, isOpaque: false },
  { pattern: /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, called: ["email address"], weight: 0.6, isOpaque: false },
  opaque(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}(?![\d.])/g, ["prefix", "network", "ip"], 0.9),
  opaque(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g, ["ip", "ip address"], 0.9),
  { pattern: DOMAIN, called: ["domain", "web site"], weight: 0.5, isOpaque: false },
  opaque(/\b97[89][\d-]{10,14}\b/g, ["isbn", "book"], 0.9),
  // 13 digits from 15 to 19 are rather milliseconds since 1970.
  opaque(/(?<![\d.,+])(?!1[5-9]\d{11}\b)\d{12,14}(?![\d.,])/g, ["barcode", "product"], 0.6),
  opaque(/(?<![\w+])\+\d[\d ]{7,16}\d/g, ["phone number"], 0.6),
  opaque(/\bCVE-\d{4}-\d{4,}\b/gi, ["vulnerability", "cve"], 0.9),
  opaque(/\bNCT\d{8}\b/gi, ["clinical study", "clinical trials"], 0.9),
  opaque(/\b\d{4}-\d{4}-\d{4}-\d{3}[\dX]\b/g, ["orcid", "researcher"], 0.9),
  opaque(/\bAS\d{3,10}\b/g, ["autonomous system", "asn"], 0.9),
  opaque(/\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/g, ["postcode", "united kingdom"], 0.9),
  { pattern: /(?<![\w-])[A-Z]{2}\d{3,4}(?![\w-])/g, called: ["flight"], weight: 0.4, isOpaque: false },
  { pattern: /(?<![\w.-])v?\d+\.\d+\.\d+(?![\w.-])/g, called: ["version", "package"], weight: 0.4, isOpaque: false },
];

/** What a query has in writing, each once. */
export function writtenForms(text: string): WrittenForm[] {
  if (!/[\d@.]/.test(text)) return [];
  let rest = text;
  return FORMS.flatMap(({ pattern, ...form }) => {
    const [written] = rest.match(pattern) ?? [];
    if (written === undefined) return [];
    rest = rest.replace(pattern, " ");
    return [{ ...form, written }];
  });
}

/** A text without the forms in it that are nothing to search for, and without the ending of a domain. */
export function withoutOpaqueForms(text: string): string {
  if (!/[\d@.]/.test(text)) return text;
  const plain = FORMS.reduce((left, { pattern, isOpaque }) => (isOpaque ? left.replace(pattern, " ") : left), text);
  return plain.replace(DOMAIN, (domain) =>
    domain.replace(/(?:\.(?:com?|org|net|gov|edu|[a-z]{2}|info|dev|app))+$/i, ""),
  );
}

function opaque(pattern: RegExp, called: readonly string[], weight: number): Form {
  return { pattern, called, weight, isOpaque: true };
}
