import type { Retry } from "../../manifest/manifest.ts";
import type { Verdict } from "../answer/error-rules.ts";
import type { Exchange, ExchangeError } from "../sending/send.ts";

/** The result of one attempt. */
export type AttemptOutcome =
  | { readonly kind: "answer"; readonly exchange: Exchange; readonly verdict: Verdict }
  | { readonly kind: "failure"; readonly error: ExchangeError };

export interface RetryFacts {
  readonly policy: Retry;
  /** `idempotent`, an idempotency header, or a call that only reads: it may be repeated even if it was executed. */
  readonly repeatable: boolean;
  /** 1 for the first. */
  readonly attempt: number;
  /** Until the call's own deadline; a wait that does not fit is not started. */
  readonly timeLeftMs: number;
  readonly nowMs: number;
  /** 0 to 1. */
  readonly random: number;
}

/**
 * How long to wait before the call is made again; undefined when it must not be. docs/manifest.md, "Repeats":
 *
 *   surely not executed: no byte was sent, 429, 503 that tells when    repeated
 *   502, 503, 504, reset, timeout, and what else `on` lists            repeated only when repeatable, or `unsafe`
 *   an error rule's `retry: true` / `false`                            counts as listed / is never repeated
 *   refused by us, over a limit, not decodable, aborted                never
 */
export function retryDelayMs(outcome: AttemptOutcome, facts: RetryFacts): number | undefined {
  const { policy, attempt, timeLeftMs } = facts;
  if (attempt >= policy.attempts) return undefined;
  if (!isListed(outcome, policy)) return undefined;
  if (!isSurelyNotExecuted(outcome, facts) && !facts.repeatable && !policy.unsafe) return undefined;
  const delayMs = toldWaitMs(outcome, facts) ?? backoffMs(facts);
  return delayMs < timeLeftMs ? delayMs : undefined;
}

function isListed(outcome: AttemptOutcome, policy: Retry): boolean {
  if (outcome.kind === "failure") return outcome.error.kind === "network" && policy.on.includes("network");
  const { exchange, verdict } = outcome;
  if (verdict.success || verdict.retry === false) return false;
  return verdict.retry === true || policy.on.includes(exchange.status) || policy.on.includes(verdict.httpStatus);
}

/** True when the provider cannot have executed the call. */
export function isSurelyNotExecuted(outcome: AttemptOutcome, facts: Pick<RetryFacts, "policy" | "nowMs">): boolean {
  if (outcome.kind === "failure") return !outcome.error.maybeExecuted;
  const { exchange, verdict } = outcome;
  if (exchange.status === 429 || verdict.httpStatus === 429) return true;
  return exchange.status === 503 && toldWaitMs(outcome, facts) !== undefined;
}

/**
 * True when it is certain enough for another provider to be asked, who bills too. A 503 is not, whatever it says of waiting:
 * some proxies give every 503 of theirs a Retry-After, also where the server behind them failed in the middle of its work.
 */
export function isSurelyUntouched(outcome: AttemptOutcome): boolean {
  if (outcome.kind === "failure") return !outcome.error.maybeExecuted;
  return outcome.exchange.status === 429 || outcome.verdict.httpStatus === 429;
}

/** Exponential, with half of it random so that many callers do not retry at once. */
function backoffMs({ policy, attempt, random }: RetryFacts): number {
  const whole = Math.min(policy.maxBackoffMs, policy.backoffMs * 2 ** (attempt - 1));
  return Math.round(whole / 2 + (whole / 2) * random);
}

function toldWaitMs(
  outcome: AttemptOutcome,
  { policy, nowMs }: Pick<RetryFacts, "policy" | "nowMs">,
): number | undefined {
  return outcome.kind === "failure" ? undefined : readWaitMs(outcome.exchange, policy.after, nowMs);
}

/** The wait in the first of the named headers that an answer has. */
export function readWaitMs(
  { headers }: Pick<Exchange, "headers">,
  names: readonly string[],
  nowMs: number,
): number | undefined {
  for (const name of names) {
    const header = headers[name.toLowerCase()];
    const text = typeof header === "string" ? header : header?.[0];
    const waitMs = text === undefined ? undefined : parseWait(name, text, nowMs);
    if (waitMs !== undefined) return waitMs;
  }
  return undefined;
}

/** From this value on a number is not a duration in seconds but a time, in seconds or milliseconds of the epoch. */
const FIRST_EPOCH_SECONDS = 1_000_000_000;
const FIRST_EPOCH_MS = 1_000_000_000_000;

const DURATION = /^(?:(\d{1,6})h)?(?:(\d{1,9})m)?(?:(\d{1,12}(?:\.\d{1,9})?)s)?(?:(\d{1,15}(?:\.\d{1,9})?)ms)?$/;

/**
 * Parses Retry-After and similar headers: seconds, milliseconds (`…-ms`), a duration such as `6m0s`, an HTTP date, or a
 * time of the epoch.
 */
export function parseWait(header: string, text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,15}(\.\d+)?$/.test(trimmed)) {
    const number = Number(trimmed);
    if (number >= FIRST_EPOCH_MS) return Math.max(0, number - nowMs);
    if (number >= FIRST_EPOCH_SECONDS) return Math.max(0, number * 1_000 - nowMs);
    return /-ms$/i.test(header) ? number : number * 1_000;
  }
  const duration = trimmed === "" ? null : DURATION.exec(trimmed);
  if (duration !== null) {
    const [, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = duration;
    return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000 + Number(milliseconds);
  }
  const moment = parseMoment(trimmed);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - nowMs);
}

/** RFC 9110, 5.6.7: the current form and the two obsolete ones, which are all in GMT, whether or not they say so. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]+, \d{2}-[A-Z][a-z]{2}-\d{2}|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d) \d{2}:\d{2}:\d{2}/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?/;
const ZONE = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i;

/** An HTTP date or a timestamp (RFC 3339), in milliseconds of the epoch; one without a zone is in GMT. */
function parseMoment(text: string): number {
  if (!HTTP_DATE.test(text) && !TIMESTAMP.test(text)) return NaN;
  return Date.parse(ZONE.test(text) ? text : `${text}${HTTP_DATE.test(text) ? " GMT" : "Z"}`);
}
