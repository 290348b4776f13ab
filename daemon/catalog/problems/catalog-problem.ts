import type { DocumentPath } from "../../manifest/document-path.ts";
/**
 * Something wrong in a catalog folder: where, which rule, and in the message what is wrong, why, and how to fix it.
 * Shown by `mkt catalog check`, in the daemon's log and to the operator.
 */
export interface CatalogProblem {
  readonly file: string;
  /** Place in the file, such as `endpoints./forecast/{city}.price`; empty for the file as a whole. */
  readonly path: string;
  /** First line is 1; absent where no line is known. */
  readonly line?: number;
  /** Short name of the rule that was broken, such as `template` or `price`. */
  readonly rule: string;
  readonly message: string;
  /** What is not served because of it. An unknown category only leaves the endpoint uncategorised. */
  readonly takesDown: "file" | "endpoint" | "nothing";
}

/** A problem in a file whose earlier version is still served. docs/manifest.md, "Reloading". */
export function tellEarlierServed(problem: CatalogProblem): CatalogProblem {
  const message = `${problem.message.replace(/(?<![.!?])$/, ".")} Until it is fixed, the last good version is used.`;
  return { ...problem, message, takesDown: "nothing" };
}

/** Collects problems; duplicates at the same place are kept once. */
export class ProblemList {
  readonly #problems = new Map<string, CatalogProblem>();
  readonly #endpointsDown = new Set<string>();
  readonly #file: string;
  readonly #lineOf: (path: DocumentPath) => number | undefined;

  constructor(file: string, lineOf: (path: DocumentPath) => number | undefined) {
    this.#file = file;
    this.#lineOf = lineOf;
  }

  report(path: DocumentPath, rule: string, message: string, takesDown: CatalogProblem["takesDown"] = "file"): void {
    const line = this.#lineOf(path);
    if (takesDown === "endpoint" && path[0] === "endpoints") this.#endpointsDown.add(String(path[1]));
    const text = formatDocumentPath(path);
    this.#problems.set(`${text}\n${message}`, {
      file: this.#file,
      path: text,
      ...(line !== undefined && { line }),
      rule,
      message,
      takesDown,
    });
  }

  list(): CatalogProblem[] {
    return [...this.#problems.values()];
  }

  /** Public paths of the endpoints that cannot be served. */
  get endpointsDown(): ReadonlySet<string> {
    return this.#endpointsDown;
  }

  /** Whether anything reported so far keeps the whole file out. */
  get fatal(): boolean {
    return this.list().some((problem) => problem.takesDown === "file");
  }
}

/** `["endpoints", "/x", "errors", 0, "when"]` → `endpoints./x.errors[0].when`. */
export function formatDocumentPath(path: DocumentPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}
