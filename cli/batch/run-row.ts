import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../shared/client/client.ts";
import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { formatDollars, type MicroDollars } from "../../shared/micro-dollars.ts";
import { CliError } from "../core/cli-error.ts";
import { exitCodes, isAwaitingApproval } from "../core/exit-codes.ts";
import { errorCodeIn } from "../core/error-code.ts";
import { isTerminal, type AnyRun } from "../run/run-outcome.ts";
import { NoAnswer, sendRun } from "../run/send-run.ts";
import { waitForRun } from "../run/wait.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { type RowResult, refusedResult, resultOfRun, unknownResult } from "./row-result.ts";
import type { SourceRow } from "./source-row.ts";

/** How long a service that cannot be reached is waited for, as while it restarts. */
const ABSENCE_MS = 60_000;
/** A service that begins and ends again is met only by who looks often; to be refused a connection costs it nothing. */
const LONGEST_PAUSE_MS = 1_000;
const HOLD_SECONDS = 30;
const ASK_AGAIN_SECONDS = 5;
/** A row that a budget blocked is tried again each time the batch is continued. */
const MOST_ATTEMPTS = 100;
/** Of a digest, in a key. */
const KEY_DIGITS = 16;

export interface RowRun {
  readonly batchId: string;
  readonly source: SourceRow;
  /** Of its input; it is part of the row's idempotency key. */
  readonly digest: string;
  /** One after the other until one is taken: the key may belong to any of them, which are alike but for their limit. */
  readonly requests: readonly RunRequest[];
  /** What it may cost. */
  readonly maximum: MicroDollars;
  /** Whether it is sent again with other limits, where these are refused. */
  readonly isSentAgain: boolean;
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
  readonly onBusy: (error: unknown) => Promise<void>;
}

/** The run goes on beyond the time that is waited for, or waits for a person. */
export interface GoingOn {
  readonly goingOn: string;
  readonly awaitsApproval: boolean;
}

/** It was not sent with any of these limits, and costs more now. */
export interface TooDear {
  readonly isTooDear: true;
}

/** Nothing that follows would end otherwise: a budget, the wallet, the key, a service that is away. */
export class BatchStopped extends Error {
  override readonly name = "BatchStopped";
  /** A run that a control blocked, else absent. */
  readonly blocked: AnyRun | undefined;

  constructor(options: { cause?: unknown; blocked?: AnyRun }) {
    super("The batch cannot go on", { cause: options.cause });
    this.blocked = options.blocked;
  }
}

/** Whether a row was refused since its wallet, budget or key has too little left now; runs that end may give something back. */
export function isShortOfMoney(error: unknown): boolean {
  if (!(error instanceof BatchStopped)) return false;
  if (error.blocked !== undefined) return true;
  const { cause } = error;
  return cause instanceof ServiceError && SHORT_OF_MONEY.has(errorCodeIn(cause.body) ?? "");
}

const SHORT_OF_MONEY: ReadonlySet<string> = new Set(["WALLET_INSUFFICIENT_FUNDS", "KEY_LIMIT"]);

/**
 * Runs a row to its end. The idempotency key is made of the batch, the row's number and its input, so that the row is
 * charged once however often it is sent. Throws BatchStopped, and the signal's reason.
 */
export async function runRow(client: Client, row: RowRun): Promise<RowResult | GoingOn | TooDear> {
  try {
    const run = await endOf(client, row);
    if (!isTerminal(run)) return { goingOn: run.runId, awaitsApproval: isAwaitingApproval(run) };
    if (run.status === "BLOCKED" && run.controls?.some(({ controlType }) => controlType === "WORKSPACE_BUDGET")) {
      throw new BatchStopped({ blocked: run });
    }
    return resultOfRun(row.source, run);
  } catch (error) {
    if (row.signal.aborted || error instanceof BatchStopped) throw error;
    if (row.isSentAgain && isAboutThePrice(error)) return { isTooDear: true };
    if (error instanceof ServiceError && error.status === 422) return sentOtherwise(row);
    if (error instanceof ServiceError && isAboutTheRow(error)) {
      if (error.status === 404) await checkStillServed(client, row);
      return refusedResult(row.source, error.message);
    }
    throw new BatchStopped({ cause: error });
  }
}

/** 402: the price is above what the request allows, and nothing was run. 422: the key belongs to a request with another limit. */
function isAboutThePrice(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return error.status === 422 || (error.status === 402 && errorCodeIn(error.body) !== "WALLET_INSUFFICIENT_FUNDS");
}

/** The key belongs to a request with a limit that the batch's record does not have. */
function sentOtherwise({ source, batchId, maximum }: RowRun): RowResult {
  const find = shellLine("mkt", "runs", "--tag", `batch=${batchId}`);
  const message = `It was sent before, at another price, and may be charged: it is counted as ${formatDollars(maximum)}. To find its run: ${find}`;
  return unknownResult(source, { maximum, message });
}

/** What the service says of this request alone; the next one may be let through. */
function isAboutTheRow({ status, body }: ServiceError): boolean {
  if (status === 404) return errorCodeIn(body) === undefined;
  return [400, 413, 415].includes(status);
}

/** Throws BatchStopped where the endpoint itself is what was not found: every row that follows would be refused too. */
async function checkStillServed(client: Client, { requests }: RowRun): Promise<void> {
  const { provider = "", endpoint = "" } = requests[0] ?? {};
  try {
    await client.inspectEndpoint({ body: { provider, endpoint } });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw new BatchStopped({ cause: error });
    throw new BatchStopped({ cause: noLongerServed(`${provider}${endpoint}`, error) });
  }
}

function noLongerServed(name: string, cause: ServiceError): CliError {
  const message = `${name} is not served any more (${cause.message}): the rows that are left were not run.`;
  return new CliError(exitCodes.notFound, message, { status: 404, cause });
}

async function endOf(client: Client, row: RowRun): Promise<AnyRun> {
  const beginMs = performance.now();
  let run = await sendOrLook(client, row, 1);
  for (let attempt = 2; mayBeSentAgain(run) && attempt <= MOST_ATTEMPTS; attempt++) {
    run = await sendOrLook(client, row, attempt);
  }
  // A person may take hours: other rows need not wait for that.
  if (isTerminal(run) || isAwaitingApproval(run)) return run;
  const waitSeconds = Math.max(0, row.waitSeconds - (performance.now() - beginMs) / 1000);
  const waiting = { waitSeconds, holdSeconds: HOLD_SECONDS, signal: row.signal, absenceMs: ABSENCE_MS };
  return await waitForRun(client, run.runId, waiting);
}

type Sent = AnyRun & { readonly isEarlier: boolean };

/** Whether an earlier command's row was blocked by what may have changed since; what a person denied stays denied. */
function mayBeSentAgain({ isEarlier, status, approval }: Sent): boolean {
  return isEarlier && status === "BLOCKED" && approval?.status !== "DENIED";
}

/** An earlier command's answer says that the run waits for a person; the run itself says what they decided since. */
async function sendOrLook(client: Client, row: RowRun, attempt: number): Promise<Sent> {
  const sent = await sendUntilThere(client, row, attempt);
  if (!sent.isEarlier || !isAwaitingApproval(sent)) return sent;
  const run = await waitForRun(client, sent.runId, { waitSeconds: 0, holdSeconds: 0, signal: row.signal });
  return { ...run, isEarlier: true };
}

/** Sends the requests in turn. 422: the key belongs to another one of them. */
async function sendUntilThere(client: Client, row: RowRun, attempt: number): Promise<Sent> {
  const key = keyOf(row, attempt);
  const last = row.requests.length - 1;
  for (const request of row.requests.slice(0, last)) {
    try {
      return await sendUntilAnswered(client, row, { request, key });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 422) throw error;
    }
  }
  return await sendUntilAnswered(client, row, { request: row.requests[last]!, key });
}

interface Attempt {
  readonly request: RunRequest;
  readonly key: string;
}

/** Sends it again while nobody answers: the key makes that harmless. */
async function sendUntilAnswered(client: Client, row: RowRun, { request, key }: Attempt): Promise<Sent> {
  const { signal, onBusy } = row;
  let isEarlier = false;
  const onHeaders = (headers: Record<string, string>) => {
    isEarlier = headers["idempotent-replayed"] === "true";
  };
  let waitSeconds = Math.max(row.waitSeconds, 1);
  let awaySince: number | undefined;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const sending = { request, key, waitSeconds, signal, onHeaders, onBusy };
      return { ...(await sendRun(() => Promise.resolve(client), sending)), isEarlier };
    } catch (error) {
      if (!isWithoutAnswer(error)) throw error;
      awaySince ??= performance.now();
      if (performance.now() - awaySince > ABSENCE_MS) throw error;
      // Asked again, a service answers at once with the run that is under way.
      if (error instanceof NoAnswer) waitSeconds = ASK_AGAIN_SECONDS;
      await delay(pauseMs, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }
}

/** Whether it is not known yet what came of the request; the same again tells. */
function isWithoutAnswer(error: unknown): boolean {
  if (error instanceof UnreachableError || error instanceof NoAnswer) return true;
  // An earlier request with this key is being handled, and its run has no id yet.
  return error instanceof ServiceError && error.status === 409;
}

function keyOf({ batchId, source, digest }: RowRun, attempt: number): string {
  const name = `batch-${batchId}-${source.index + 1}-${digest.slice(0, KEY_DIGITS)}`;
  return attempt === 1 ? name : `${name}-${attempt}`;
}
