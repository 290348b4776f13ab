import type { RunId } from "../../base/ids.ts";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../../../shared/errors.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { notSupported } from "../../catalog/availability.ts";
import { type Clock, isoNow } from "../../base/clock.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { Example } from "../../manifest/manifest.ts";
import { NoAnswerError, type Provider, type ProviderAnswer } from "../../providers/protocol/provider.ts";
import { shapeOutput } from "../../catalog/entries/shape-output.ts";
import type { ResourceRecord } from "../../ledger/records/resource-record.ts";
import { type AdmittedRun, admitEndpoint } from "../../runs/admission/admission.ts";
import { limitsOf } from "../../runs/admission/page-limits.ts";
import { newRun } from "../../runs/starting/new-run.ts";
import { accept, transition } from "../../runs/lifecycle/run-lifecycle.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { ProviderId } from "../../ledger/records/resource-record.ts";
import { ownedForRehearsal } from "./rehearsed-resources.ts";

/** A problem in one example: what was checked, the expected and the actual value. */
export interface Mismatch {
  readonly what: string;
  readonly expected?: string;
  readonly came?: string;
}

/** The result of a run, whose only caller is the rehearsal. */
export interface RehearsedRun {
  readonly run: RunRecord;
  /** Absent when there was none. */
  readonly answer?: ProviderAnswer;
}

export interface RehearsalParts {
  readonly provider: Provider;
  readonly clock: Clock;
  readonly runId: RunId;
  /** Called as soon as the job is known. */
  readonly onJob?: (job: { readonly externalId: string; readonly state: Readonly<Record<string, string>> }) => void;
  /** The delay before a poll. */
  readonly pollAfterMs: (pollAfterMs: number) => number;
  readonly signal: AbortSignal;
}

const REHEARSAL: WorkspaceCaller = {
  kind: "API_KEY",
  actor: "API_KEY#rehearsal",
  userId: "rehearsal",
  workspaceId: "rehearsal",
  scopes: ["*"],
  operator: false,
};

/** Passes the example's input through every check of a run except those of money. Throws `ApiError` as they do. */
export async function admitExample(
  entry: CatalogEntry,
  example: Pick<Example, "input"> & Partial<Pick<Example, "response" | "responses">>,
  clock: Clock,
): Promise<AdmittedRun> {
  const { provider, path, notRunnable } = entry;
  const catalog = {
    get: () => entry,
    find: () => entry,
    availability: () =>
      notRunnable === undefined ? { available: true as const } : notSupported(provider, path, notRunnable),
  };
  const owned = ownedForRehearsal(entry, example.input, isoNow(clock));
  const store = {
    listLiveResourcesOf: async () => owned,
    findHolder: async ({ resource, externalId }: ProviderId) =>
      owned.find((one) => one.resource === resource && one.externalId === externalId),
  };
  const request = {
    provider: provider.provider,
    endpoint: path,
    input: example.input,
    // A single recorded answer is a single page.
    ...(example.responses === undefined && example.response !== undefined && { maxPages: 1 }),
  };
  return await admitEndpoint({ catalog, store, clock }, REHEARSAL, request, { entry });
}

/** Runs from acceptance to the end, with the real provider code and the real life cycle of runs. */
export async function runExample(admitted: AdmittedRun, parts: RehearsalParts): Promise<RehearsedRun> {
  const { provider, clock, runId, onJob, pollAfterMs, signal } = parts;
  const at = isoNow(clock);
  const facts = {
    runId,
    newResourceId: () => `${runId}-resource`,
    at,
    hasPlace: true,
    idempotency: undefined,
    reuse: undefined,
  };
  let { run } = accept(newRun(REHEARSAL, admitted, facts));
  const reading = limitsOf(run, admitted.entry);
  const request = {
    runId: run.runId,
    entry: admitted.entry,
    input: run.input,
    ...(reading !== undefined && { reading }),
  };
  try {
    let outcome = await provider.start(request, { signal });
    while (outcome.kind === "job") {
      const job = outcome;
      onJob?.(job);
      run = transition(run, { type: "job", at, job }).run;
      await delay(pollAfterMs(job.pollAfterMs), undefined, { signal });
      const polled = await provider.poll(request, job, { signal });
      outcome = polled;
    }
    if (outcome.kind === "stopped") return { run: transition(run, { type: "stopped", at }).run };
    if (outcome.kind === "timedOut") {
      const { attempts } = outcome;
      return { run: transition(run, { type: "deadline", at, maybeExecuted: false, attempts }).run };
    }
    const resources = ending(admitted, isoNow(clock));
    // A rehearsal uses a fixed time, so that prices by the second are the same every time.
    return { run: transition(run, { type: "answered", at, answer: outcome, resources }).run, answer: outcome };
  } catch (error) {
    if (signal.aborted) {
      return { run: transition(run, { type: "deadline", at, maybeExecuted: true, attempts: [] }).run };
    }
    if (!(error instanceof NoAnswerError)) throw error;
    const { source, message, maybeExecuted, attempts } = error;
    return { run: transition(run, { type: "noAnswer", at, source, message, maybeExecuted, attempts }).run };
  }
}

function ending({ entry, input, releases }: AdmittedRun, at: string): ResourceRecord[] {
  return ownedForRehearsal(entry, input, at).filter(({ resourceId }) => releases.includes(resourceId));
}

/** Compares the run with the example's expectations; without any, it must succeed with a usage that can be counted. */
export function compareRun({ run, answer }: RehearsedRun, entry: CatalogEntry, example: Example): Mismatch[] {
  if (answer === undefined) {
    return [{ what: "answer", expected: "an answer", came: run.error?.message ?? `the run is ${run.status}` }];
  }
  const { expect = {} } = example;
  const status: Mismatch[] = [];
  if (expect.httpStatus !== undefined && expect.httpStatus !== answer.httpStatus) {
    status.push({ what: "httpStatus", expected: String(expect.httpStatus), came: wordStatus(answer) });
  } else if (expect.httpStatus === undefined && !answer.success) {
    status.push({ what: "httpStatus", expected: "a success (or expect.httpStatus)", came: wordStatus(answer) });
  }
  return [
    ...status,
    ...(answer.success ? readingsOf(answer, entry) : []),
    ...quantitiesOf({ run, answer }, entry, example),
  ];
}

/** Includes the provider's or a rule's message, and says whether a rule made it. */
function wordStatus({ httpStatus, error, attempts }: ProviderAnswer): string {
  const sent = attempts.at(-1)?.httpStatus;
  const rule = sent === undefined || sent === httpStatus ? "" : `, which an error rule made of ${sent}`;
  return `${httpStatus}${rule}${error === undefined ? "" : `: ${error.message}`}`;
}

/** Values that the manifest reads from a successful answer but that are missing. */
function readingsOf({ measured, body, output: shown }: ProviderAnswer, { usage, output }: CatalogEntry): Mismatch[] {
  const read = [
    ["usage.count", usage.count, measured.count],
    ["usage.units", usage.units, measured.units],
    ["usage.cost", usage.cost?.from, measured.costMicroDollars],
  ] as const;
  const unread = read.filter(([, , value]) => Number.isNaN(value));
  const isCut = output.select !== undefined && shown === null && shapeOutput(output, body) === undefined;
  return [
    ...unread.map(([what, from]) => ({ what, expected: `something to count at ${String(from)}`, came: shapeOf(body) })),
    ...(isCut ? [{ what: "output.select", expected: `something at ${output.select}`, came: shapeOf(body) }] : []),
  ];
}

function quantitiesOf({ run, answer }: RehearsedRun, { price }: CatalogEntry, { expect = {} }: Example): Mismatch[] {
  const { count, costMicroDollars } = expect;
  const counted = answer?.success === true ? answer.measured.count : 0;
  const charged = run.billing?.reported ?? 0;
  return [
    ...(count === undefined || count === counted || Number.isNaN(counted)
      ? []
      : [{ what: "count", expected: String(count), came: String(counted ?? "nothing: there is no usage.count") }]),
    ...(costMicroDollars === undefined || costMicroDollars === charged || price.type === "METERED"
      ? []
      : [{ what: "costMicroDollars", expected: String(costMicroDollars), came: String(charged) }]),
  ];
}

/** A short description of an answer's structure. */
function shapeOf(body: unknown): string {
  if (Array.isArray(body)) return `a list of ${body.length}`;
  if (typeof body !== "object" || body === null) return body === null ? "an empty answer" : `a ${typeof body}`;
  const names = Object.keys(body);
  const shown = names.slice(0, 8).join(", ");
  return names.length === 0 ? "an empty object" : `an object with ${shown}${names.length > 8 ? ", …" : ""}`;
}

/** The finding when an example's input was refused; other errors are thrown again. */
export function refusalOf(error: unknown): Mismatch {
  if (!(error instanceof ApiError)) throw error;
  return { what: "input", expected: "an input that a run takes", came: error.message };
}
