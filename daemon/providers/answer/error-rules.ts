import type { ErrorRule } from "../../manifest/manifest.ts";
import { oncePer } from "../../base/once-per.ts";
import { extract, type Extractor, type ExtractScope, looksLikeExtractor } from "../../manifest/extract.ts";
import type { Redactor } from "../../redaction/redact.ts";
import { compileExtractor } from "./compiled-sources.ts";

/** The result of judging an answer by the manifest's error rules. */
export interface Verdict {
  /** The provider's status, or the one that a rule set. */
  readonly httpStatus: number;
  /** 2xx and nothing else; a redirect is an answer like any other and never followed. docs/contract.md, "End of a run". */
  readonly success: boolean;
  /** The reason, in the provider's words if there are any; absent on success. */
  readonly message?: string;
  /** A success with zero results, whatever the body says. */
  readonly empty: boolean;
  /** A rule's decision on retrying. */
  readonly retry?: boolean;
}

const MAX_MESSAGE_CHARACTERS = 2_000;

/** Judges an answer by the first rule that matches. Pure. Source: docs/manifest.md, "Error rules". */
export function judge(scope: ExtractScope & { readonly status: number }, rules: readonly ErrorRule[]): Verdict {
  const rule = rules.find((candidate) => matches(candidate.when, scope));
  const empty = rule?.as.empty === true;
  const fallback = empty && !isSuccess(scope.status) ? 200 : scope.status;
  const httpStatus = rule?.as.status ?? fallback;
  const success = isSuccess(httpStatus);
  return {
    httpStatus,
    success,
    empty: empty && success,
    ...(!success && { message: messageOf(rule, scope, httpStatus) }),
    ...(rule?.as.retry !== undefined && { retry: rule.as.retry }),
  };
}

const GOOD: Readonly<Record<number, Verdict>> = Object.fromEntries(
  Array.from({ length: 100 }, (_, over) => [200 + over, { httpStatus: 200 + over, success: true, empty: false }]),
);

/** As `judge`, of the facts and the exchange together. Most answers are good, and most files have no rules to read them by. */
export function judgeExchange(
  facts: ExtractScope,
  exchange: ExtractScope & { readonly status: number },
  rules: readonly ErrorRule[],
): Verdict {
  return (rules.length === 0 ? GOOD[exchange.status] : undefined) ?? judge({ ...facts, ...exchange }, rules);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** A condition on an answer: all of its members must match; a list of statuses or values matches any of them. */
export interface AnswerCondition {
  readonly status?: readonly (number | string)[] | undefined;
  readonly match?: Readonly<Record<string, unknown>> | undefined;
  readonly missing?: readonly (string | number)[] | undefined;
}

interface CompiledCondition {
  readonly match: readonly { readonly from: Extractor; readonly wanted: readonly unknown[] }[];
  readonly missing: readonly Extractor[];
}

const compiledCondition = oncePer(({ match = {}, missing = [] }: AnswerCondition): CompiledCondition => ({
  match: Object.entries(match).map(([source, wanted]) => ({
    from: compileExtractor(source),
    wanted: Array.isArray(wanted) ? (wanted as unknown[]) : [wanted],
  })),
  missing: missing.map(compileExtractor),
}));

export function matches(condition: AnswerCondition, scope: ExtractScope & { readonly status: number }): boolean {
  const { match, missing } = compiledCondition(condition);
  return (
    (condition.status === undefined || isOneOf(condition.status, scope.status)) &&
    match.every(({ from, wanted }) => wanted.includes(extract(from, scope))) &&
    missing.every((from) => (extract(from, scope) ?? undefined) === undefined)
  );
}

/** Whether a status is in a list that may name whole classes, such as `4xx`. */
export function isOneOf(statuses: readonly (number | string)[], status: number): boolean {
  return statuses.some((wanted) =>
    typeof wanted === "number" ? wanted === status : wanted === `${Math.floor(status / 100)}xx`,
  );
}

/** A rule's message in place of the provider's: text of the file, or an extractor. */
const compiledWords = oncePer(
  ({ message }: ErrorRule["as"]): { readonly from?: Extractor; readonly words?: string } => {
    if (message === undefined) return {};
    return looksLikeExtractor(message) ? { from: compileExtractor(message) } : { words: message };
  },
);

function messageOf(rule: ErrorRule | undefined, scope: ExtractScope, httpStatus: number): string {
  const { from, words } = rule === undefined ? {} : compiledWords(rule.as);
  const authored = from === undefined ? words : toMessage(extract(from, scope));
  return authored ?? findMessage(scope.body) ?? `The provider answered ${httpStatus}`;
}

/** A verdict's message for callers. Redacted before it is cut: a cut secret would not be recognised. */
export function toldMessage(message: string, redactor: Redactor): string {
  return redactor.text(message).slice(0, MAX_MESSAGE_CHARACTERS);
}

/** A provider's text as a message; undefined when there is none. */
export function toMessage(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

const USUAL_PLACES = [
  ["error", "message"],
  ["error", "detail"],
  ["error", "description"],
  ["error_description"],
  ["message"],
  ["detail"],
  ["error"],
  ["errorMessage"],
  ["error_message"],
  ["errors", 0, "message"],
  ["errors", 0, "detail"],
  ["errors", 0],
  ["title"],
  ["reason"],
] as const;

/** The usual places of providers' messages; a plain text answer is the message itself. */
function findMessage(body: unknown): string | undefined {
  if (typeof body === "string" && !/^\s*</.test(body)) return toMessage(body);
  for (const place of USUAL_PLACES) {
    const found = toMessage(extract({ kind: "path", steps: place }, { body }));
    if (found !== undefined) return found;
  }
  return undefined;
}
