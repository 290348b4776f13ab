import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = new URL("../../../", import.meta.url).pathname;
/** The methods that ask a database, and which of their arguments is the text. */
const METHODS: Readonly<Record<string, number>> = { query: 0, queryEach: 0, queryNamed: 1 };

export interface AskedQuery {
  readonly file: string;
  /** The text where it is written in place and whole; otherwise the expression that gives it. In one line. */
  readonly name: string;
}

/** Every text that the daemon's code gives to a database, found in its source. */
export function askedQueries(): AskedQuery[] {
  const files = readdirSync(join(root, "daemon"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join("daemon", name))
    .sort();
  return files.flatMap(queriesIn);
}

function queriesIn(file: string): AskedQuery[] {
  const code = readFileSync(join(root, file), "utf8");
  if (!Object.keys(METHODS).some((method) => code.includes(`.${method}`))) return [];
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found: AskedQuery[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const place = METHODS[node.expression.name.text];
      const asked = place === undefined ? undefined : node.arguments[place];
      if (asked !== undefined) found.push(askedAs(file, asked));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function askedAs(file: string, asked: ts.Expression): AskedQuery {
  const words = ts.isStringLiteralLike(asked) ? asked.text : asked.getText();
  return { file, name: words.replace(/\s+/g, " ").trim() };
}
