import { visibleText } from "../../../shared/hidden-text.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { isTerminal } from "../../../shared/run-status.ts";
import type { MarketEndpoint } from "../../manifest/manifest.ts";
import { memberOf } from "../../../shared/member-of.ts";
import { isSuccess } from "../answer/error-rules.ts";
import {
  type Attempt,
  NoAnswerError,
  type ProviderAnswer,
  type ProviderStopped,
  type ProviderTimedOut,
  type RemoteRun,
} from "../protocol/provider.ts";
import { readRemoteRun, type Told } from "./remote-run.ts";

/** Which market, and all calls to it so far. */
export interface AnsweringMarket {
  readonly host: string;
  readonly run: Pick<MarketEndpoint, "additions">;
  readonly attempts: readonly Attempt[];
}

/** What a run that has ended at a market means for the run here. docs/markets.md, "How runs end" */
export type MarketOutcome = ProviderAnswer | ProviderStopped | ProviderTimedOut;

type SettledRun = NonNullable<ReturnType<typeof readRemoteRun>>;

const MAX_NOTES = 20;
const MAX_NOTE_CHARACTERS = 500;
const MAX_MESSAGE_CHARACTERS = 2_000;
/** A budget or a cap of the market's workspace refused the run. */
const REFUSED_THERE = 403;

/** Whether a run has ended at its market. */
export function hasEnded(run: Pick<RemoteRun, "status">): boolean {
  return isTerminal(run);
}

/**
 * The outcome of a run that ended at a market:
 *
 *   there       here
 *   COMPLETED   the provider's answer, as it is
 *   BLOCKED     an answer with 403: a budget of the market's workspace refused it, and nothing was executed
 *   STOPPED     STOPPED
 *   TIMED_OUT   TIMED_OUT
 *   FAILED      NoAnswerError, so FAILED
 */
export function toOutcome({ told, ...remote }: SettledRun, { host, run, attempts }: AnsweringMarket): MarketOutcome {
  switch (remote.status) {
    case "COMPLETED":
      return { ...toAnswer(told, remote), attempts };
    case "STOPPED":
      return { kind: "stopped", attempts, remote };
    case "TIMED_OUT":
      return { kind: "timedOut", attempts, remote };
    case "BLOCKED":
      return {
        ...toRefusal(REFUSED_THERE, `${host} blocked the run: ${textAt(told, "reason") ?? "it gave no reason"}`),
        notExecuted: true,
        attempts,
        remote,
      };
    default:
      throw new NoAnswerError(`The run at ${host} failed: ${failureOf(told)}`, {
        source: "provider",
        maybeExecuted: (remote.costMicroDollars ?? 0) > 0,
        attempts,
        remote: { ...remote, mayHaveRun: !run.additions || isDoubtful(told) },
      });
  }
}

/** A market that passed the run on to another one does not know what happened there. */
function isDoubtful(told: Told): boolean {
  return told["providerMayHaveCharged"] === true || told["market"] !== undefined;
}

/** Refusals of gates, which a run passes before it begins. docs/contract.md, "Order of the gates" */
const REFUSED_BEFORE_WORK: ReadonlySet<number> = new Set([401, 402, 403, 404, 507, 508]);

/**
 * Whether a market certainly began nothing when it answered so: it is the market's own words, and neither those of a gateway
 * nor of its provider. A 503 that somebody has to set something up for is one; any other may have come after the run began.
 */
export function isRefusedBeforeWork({ status, body }: { readonly status: number; readonly body: unknown }): boolean {
  if (memberOf(body, "code") !== status || textAt(body, "message") === undefined) return false;
  if (memberOf(body, "runId") !== undefined) return false;
  return REFUSED_BEFORE_WORK.has(status) || (status === 503 && SET_UP_FIRST.has(textAt(body, "errorCode") ?? ""));
}

const SET_UP_FIRST: ReadonlySet<string> = new Set([
  "MISSING_GRANT",
  "MISSING_SECRET",
  "NOT_CONFIGURED",
  "NOT_CONNECTED",
  "PROVIDER_NOT_LOADED",
]);

/** An answer of the market itself, which made no run. */
export function toRefusal(httpStatus: number, text: string): Omit<ProviderAnswer, "attempts"> {
  const message = visibleText(text).slice(0, MAX_MESSAGE_CHARACTERS);
  return {
    kind: "answer",
    httpStatus,
    success: false,
    output: null,
    body: null,
    error: { status: httpStatus, message },
    measured: {},
    notes: [],
  };
}

function toAnswer(told: Told, remote: RemoteRun): Omit<ProviderAnswer, "attempts"> {
  const response = memberOf(told, "providerResponse");
  const status = memberOf(response, "httpStatus");
  const httpStatus = typeof status === "number" && Number.isInteger(status) ? status : 200;
  const { costMicroDollars } = remote;
  const measured = {
    ...numberAt(told, "resultCount", "count"),
    ...(costMicroDollars !== undefined && { costMicroDollars }),
  };
  const notes = notesOf(told);
  if (!isSuccess(httpStatus)) {
    const message = textAt(memberOf(response, "error"), "message") ?? `The provider answered ${httpStatus}`;
    const body = memberOf(memberOf(response, "error"), "body");
    const refusal = toRefusal(httpStatus, message);
    const error = {
      status: httpStatus,
      message: refusal.error?.message ?? message,
      ...(body !== undefined && { body }),
    };
    return { ...refusal, error, measured, notes, remote };
  }
  return {
    kind: "answer",
    httpStatus,
    success: true,
    output: told["output"] ?? null,
    body: told["output"] ?? null,
    measured,
    notes,
    remote,
    ...pagesOf(told),
    ...numberAt(told, "billedUnits", "billedUnits"),
  };
}

function notesOf(told: Told): readonly string[] {
  const notes = Array.isArray(told["notes"]) ? told["notes"].filter((note) => typeof note === "string") : [];
  const made = Array.isArray(told["resources"]) && told["resources"].length > 0;
  return [
    ...notes.slice(0, MAX_NOTES).map((note) => visibleText(note).slice(0, MAX_NOTE_CHARACTERS)),
    ...(made ? ["The run changed resources at the market, which are managed and paid there alone"] : []),
  ];
}

/** How far a list was read there: one that was not read to its end is not kept for later runs. */
function pagesOf(told: Told): Pick<ProviderAnswer, "pages"> {
  const pages = told["pages"];
  const { read } = numberAt(isRecord(pages) ? pages : {}, "read", "read");
  if (!isRecord(pages) || read === undefined || !Number.isSafeInteger(read) || read < 1) return {};
  const stoppedBy = STOPS.find((stop) => stop === pages["stoppedBy"]);
  if (pages["more"] !== true) return { pages: { read, more: false } };
  return { pages: { read, more: true, stoppedBy: stoppedBy ?? "failure" } };
}

const STOPS = ["maxPages", "cost", "size", "loop", "failure"] as const;

function failureOf(told: Told): string {
  const { error } = told;
  const message = typeof error === "string" ? error : textAt(error, "message");
  return visibleText(message ?? "it gave no reason").slice(0, MAX_MESSAGE_CHARACTERS);
}

function textAt(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

function numberAt<Name extends string>(told: Told, name: string, as: Name): { readonly [K in Name]?: number } {
  const value = isRecord(told) ? told[name] : undefined;
  const isCount = typeof value === "number" && Number.isFinite(value) && value >= 0;
  return (isCount ? { [as]: value } : {}) as { readonly [K in Name]?: number };
}
