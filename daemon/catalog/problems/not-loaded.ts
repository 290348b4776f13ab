import { ApiError } from "../../../shared/errors.ts";
import { toPrintable } from "../../../shared/hints/printable.ts";
import { quoteWord } from "../../../shared/hints/shell-words.ts";
import type { CatalogProblem } from "./catalog-problem.ts";

/** The requester of something that is not loaded. */
export interface Asker {
  /** The owner of the files, who may see locations and paths. */
  readonly operator: boolean;
}

const MAX_CHARACTERS = 300;

/**
 * 503 for a provider, or one of its endpoints, whose file has mistakes: it exists, and only the operator can fix it.
 */
export function notLoaded(what: string, problems: readonly CatalogProblem[], { operator }: Asker): ApiError {
  const told = operator ? tellOperator(problems) : "its file has mistakes; ask the operator to fix it";
  return new ApiError("unavailable", `${what} is not loaded: ${told}`, {
    errorCode: "PROVIDER_NOT_LOADED",
    ...(operator && { extra: { next: "mkt catalog list" } }),
  });
}

/** `line 12, endpoints./x.price: …` */
export function mistakeWords({ line, path, message }: CatalogProblem): string {
  const place = [...(line === undefined ? [] : [`line ${line}`]), ...(path === "" ? [] : [path])].join(", ");
  const words = toPrintable(message);
  const short = words.length > MAX_CHARACTERS ? `${words.slice(0, MAX_CHARACTERS)}…` : words;
  return place === "" ? short : `${place}: ${short}`;
}

function tellOperator(problems: readonly CatalogProblem[]): string {
  const [first] = problems;
  if (first === undefined) return "its file has mistakes";
  const words = mistakeWords(first).replace(/[.!?]$/, "");
  const others = problems.length === 1 ? "" : `; ${problems.length - 1} more`;
  return `${words}${others}. Check it with: mkt catalog check ${quoteWord(first.file)}`;
}
