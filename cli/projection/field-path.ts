/** The names that lead to one member of an answer: `["price", "amount"]`. */
export type FieldPath = readonly [string, ...string[]];

/**
 * Reads `a,b.c`: names parted by commas, a dot goes one deeper. A backslash takes the next character as it is, for the names
 * of others that have dots and commas of their own. Throws RangeError for an empty name.
 */
export function parseFieldPaths(text: string): FieldPath[] {
  const paths: FieldPath[] = [];
  let path: string[] = [];
  let name = "";
  const endName = () => {
    if (name.trim() === "") throw new RangeError(`a name is missing in "${text}"`);
    path.push(name.trim());
    name = "";
  };
  const endPath = () => {
    endName();
    const [first = "", ...rest] = path;
    paths.push([first, ...rest]);
    path = [];
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\" && at + 1 < text.length) name += text[++at];
    else if (character === ".") endName();
    else if (character === ",") endPath();
    else name += character;
  }
  endPath();
  return paths;
}

/** As it is written in `--fields`. */
export function fieldPathWords(path: readonly string[]): string {
  return path.map((name) => name.replace(/[\\.,]/g, "\\$&")).join(".");
}
