import { setTimeout as sleep } from "node:timers/promises";
import { pollDelayMs } from "./answer/read-job.ts";
import { type AnsweringMarket, hasEnded, isRefusedBeforeWork, toOutcome, toRefusal } from "./market/market-answer.ts";
import { readMoney, readRemoteRun, readRunId } from "./market/remote-run.ts";
import type { ConversationParts } from "./conversation.ts";
import type { MarketEndpoint, RequestCall } from "../manifest/manifest.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { memberOf } from "../../shared/member-of.ts";
import type { Exchange } from "./sending/send.ts";
import {
  type Attempt,
  type MarketQuote,
  NoAnswerError,
  type ProviderCallOptions,
  type ProviderJob,
  type ProviderOutcome,
  type ProviderRequest,
  type RemoteRun,
  type StopOutcome,
} from "./protocol/provider.ts";

/** Ids of the markets that a request came through, apart by blanks. docs/markets.md, "No loops" */
const HOPS_HEADER = "X-Mkt-Hops";
/** The same in the body, which no gateway takes out. */
const HOPS_TAG = "mkt-hops";
const QUOTE_MS = 10_000;
/** The longest that a market is asked to hold a request until the run ends. */
const MOST_WAIT_SECONDS = 10;
/**
 * After which an exchange is given up and asked again. A connection may be dead without a word, as after a laptop's sleep,
 * and a run must not wait on it until its deadline while it ends, and is charged, at the market.
 */
const LONGEST_EXCHANGE_MS = 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** Answers of gateways that do not tell whether the market behind them got the request. */
const UNCERTAIN: ReadonlySet<number> = new Set([502, 504]);
/** Answers to a question about a run that say nothing about the run. */
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** So many answers in a row about a run that cannot be read, as a gateway gives; then the run cannot be read. */
const MOST_UNREADABLE = 5;
/** The status of a run of which a market tells nothing. */
const UNKNOWN = "UNKNOWN";

/** One start, poll, stop or quote at a market: its calls, with one record of attempts. */
interface Talk {
  /** Without an id: a quote. */
  readonly request: Partial<Pick<ProviderRequest, "runId">> & Omit<ProviderRequest, "runId">;
  readonly run: MarketEndpoint;
  readonly host: string;
  readonly signal: AbortSignal;
  readonly attempts: Attempt[];
}

interface Question {
  readonly call: RequestCall;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly runId?: string;
  readonly repeatable: boolean;
  readonly retries: boolean;
  readonly hasAlternative?: true;
  readonly totalMs?: number;
  readonly exchangeTimeoutMs?: number;
}

/** An answer; `maybeExecuted` is false where the market certainly did nothing. */
type Asked = Exchange & { readonly maybeExecuted?: boolean };

/**
 * Runs endpoints of other markets by the operations of the contract. The id of the run here is the Idempotency-Key there:
 * after a lost answer or a crash the same question finds the same run, so it is charged once. docs/markets.md
 */
export class MarketCaller {
  readonly #parts: ConversationParts;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /**
   * Asks until it is certain what became of the run, up to the deadline of `signal`, or of a route's member that answers at once.
   * Throws NoAnswerError.
   */
  async start(request: ProviderRequest, { signal }: ProviderCallOptions): Promise<ProviderOutcome> {
    const { asMember, entry } = request;
    const ownMs = asMember === undefined || entry.async !== undefined ? undefined : entry.http.timeoutMs;
    const limited = linkSignals([signal], ownMs);
    return await this.#start(talkOf(request, limited.signal)).finally(limited.release);
  }

  async #start(talk: Talk): Promise<ProviderOutcome> {
    let mayBeRunning = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      const answer = await this.#tryStart(talk, mayBeRunning);
      if (answer !== "unknown") {
        const outcome = await this.#started(talk, answer, mayBeRunning);
        if (outcome !== "again") return outcome;
      }
      mayBeRunning = true;
      await pause(pauseMs, talk);
    }
  }

  async poll(request: ProviderRequest, job: ProviderJob, { signal }: ProviderCallOptions): Promise<ProviderOutcome> {
    const talk = talkOf(request, signal);
    const polls = job.polls + 1;
    const running: ProviderJob = { ...job, pollAfterMs: delayOf(request, polls), polls, attempts: [] };
    const found = await this.#read(talk, job.externalId, Number(job.state[UNREADABLE] ?? 0) + 1);
    if (found === undefined) return running;
    if (found === "unreadable") {
      return { ...running, state: { [UNREADABLE]: String(Number(job.state[UNREADABLE] ?? 0) + 1) } };
    }
    if (hasEnded(found)) return toOutcome(found, talk);
    const progress = memberOf(found.told, "progress");
    const isProgress = typeof progress === "number" || typeof progress === "string";
    return { ...running, state: {}, ...(isProgress && { progress }) };
  }

  /** The market is told; the run here ends as the market then says, since it may have been quicker. */
  async stop(request: ProviderRequest, job: ProviderJob, { signal }: ProviderCallOptions): Promise<StopOutcome> {
    const talk = talkOf(request, signal);
    const { status } = await this.#ask(talk, { call: STOP, runId: job.externalId, repeatable: true, retries: true });
    return { outcome: "refused", httpStatus: status, attempts: talk.attempts };
  }

  async quote(request: Omit<ProviderRequest, "runId">, { signal }: ProviderCallOptions): Promise<MarketQuote> {
    const talk = talkOf(request, signal);
    let answer: Exchange;
    try {
      const how = { repeatable: true, retries: true, totalMs: QUOTE_MS, exchangeTimeoutMs: QUOTE_MS };
      answer = await this.#ask(talk, { call: withHops(QUOTE, talk), body: bodyOf(talk), ...how });
    } catch (error) {
      if (error instanceof NoAnswerError && !signal.aborted) return { kind: "unreachable" };
      throw error;
    }
    const [estimate, maximum, above] = ["estimate", "maximum", "approvalAbove"].map((name) =>
      readMoney(memberOf(answer.body, name)),
    );
    if (answer.status === 200 && estimate !== undefined && maximum !== undefined) {
      return {
        kind: "quoted",
        estimateMicroDollars: Math.min(estimate, maximum),
        maximumMicroDollars: maximum,
        ...(above !== undefined && { approvalAboveMicroDollars: above }),
      };
    }
    return { kind: "refused", httpStatus: answer.status, message: messageOf(answer, talk) };
  }

  /** `unknown`: the run may have begun at the market, and asking again tells. */
  async #tryStart(talk: Talk, mayBeRunning: boolean): Promise<Asked | "unknown"> {
    const { run, signal, request } = talk;
    try {
      const call = withHops(START, talk);
      // Without a key it must not be asked again, so it is waited for.
      const limit = run.additions ? { exchangeTimeoutMs: exchangeMs(talk) } : {};
      const left = request.asMember?.hasNext === true ? { hasAlternative: true as const } : {};
      const how = { repeatable: run.additions, retries: true, ...limit, ...left };
      return await this.#ask(talk, { call, body: bodyOf(talk), ...how });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      const isUncertain = mayBeRunning || error.maybeExecuted;
      if (run.additions && isUncertain && error.source === "network" && !signal.aborted) return "unknown";
      throw isUncertain && !error.maybeExecuted ? uncertain(error, talk) : error;
    }
  }

  async #started(talk: Talk, answer: Asked, mayBeRunning: boolean): Promise<ProviderOutcome | "again"> {
    const { request, run } = talk;
    const made = readRemoteRun(answer.body);
    if (made !== undefined && hasEnded(made)) return toOutcome(made, talk);
    const runId = made?.runId ?? readRunId(answer.body);
    if (runId !== undefined) {
      if (request.entry.async === undefined) return await this.#follow(talk, made ?? { runId, status: UNKNOWN });
      const { attempts } = talk;
      return { kind: "job", externalId: runId, state: {}, pollAfterMs: delayOf(request, 0), polls: 0, attempts };
    }
    if (run.additions && (answer.status === 409 || UNCERTAIN.has(answer.status))) return "again";
    if (answer.status < 400) throw unreadable(talk);
    const { attempts } = talk;
    const isRefused = answer.maybeExecuted === false || (attempts.length === 1 && isRefusedBeforeWork(answer));
    return {
      ...toRefusal(answer.status, messageOf(answer, talk)),
      ...(!mayBeRunning && isRefused && { notExecuted: true as const }),
      attempts,
    };
  }

  /** A run that was expected to end at once, and goes on at the market. Where time is up, it says which run that is. */
  async #follow(talk: Talk, { runId, status }: RemoteRun): Promise<ProviderOutcome> {
    let remote: RemoteRun = { runId, status };
    let failed = 0;
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
        const found = await this.#read(talk, runId, failed + 1);
        failed = found === "unreadable" ? failed + 1 : 0;
        if (found !== undefined && found !== "unreadable") {
          if (hasEnded(found)) return toOutcome(found, talk);
          remote = { runId, status: found.status };
        }
        await pause(pauseMs, talk);
      }
    } catch (error) {
      throw error instanceof NoAnswerError && error.remote === undefined ? uncertain(error, talk, remote) : error;
    }
  }

  /**
   * Undefined, or `unreadable`, when the answer says nothing about the run, so that it is to be asked for again. `times`: how often in
   * a row it would then be unreadable.
   */
  async #read(talk: Talk, runId: string, times: number) {
    const { additions } = talk.run;
    let answer: Exchange;
    try {
      const query = additions ? { query: { wait: waitSeconds(talk) } } : {};
      const exchangeTimeoutMs = exchangeMs(talk);
      answer = await this.#ask(talk, {
        call: READ,
        runId,
        ...query,
        repeatable: true,
        retries: false,
        exchangeTimeoutMs,
      });
    } catch (error) {
      const isPassing = error instanceof NoAnswerError && error.source === "network" && !talk.signal.aborted;
      if (isPassing) return undefined;
      const isUnreadable =
        error instanceof NoAnswerError && error.source === "provider" && !error.isTooLarge && times < MOST_UNREADABLE;
      if (isUnreadable) return "unreadable";
      throw error instanceof NoAnswerError ? uncertain(error, talk) : error;
    }
    if (GONE.has(answer.status)) throw forgotten(talk, runId);
    return readRemoteRun(answer.body);
  }

  async #ask(talk: Talk, question: Question): Promise<Asked> {
    const { caller, redactor, secretsOf } = this.#parts;
    const { request, signal, attempts } = talk;
    const { entry, runId = "", input } = request;
    const { call, body, query, repeatable, retries, hasAlternative, totalMs, exchangeTimeoutMs } = question;
    const scope = { secrets: secretsOf(entry.provider), input, runId };
    const { exchange, maybeExecuted } = await caller.make({
      entry,
      call,
      templates: question.runId === undefined ? scope : { ...scope, externalId: question.runId },
      facts: { input },
      ...(body !== undefined && { body: { content: JSON.stringify(body), contentType: "application/json" } }),
      ...(query !== undefined && { query }),
      media: "json",
      repeatable,
      retries,
      ...(hasAlternative !== undefined && { hasAlternative }),
      ...(totalMs !== undefined && { totalMs }),
      ...(exchangeTimeoutMs !== undefined && { exchangeTimeoutMs }),
      maxResponseBytes: entry.http.maxResponseBytes,
      signal,
      attempts,
    });
    return { ...exchange, body: redactor.json(exchange.body), ...(maybeExecuted !== undefined && { maybeExecuted }) };
  }
}

/** Where a job keeps how many answers in a row could not be read. */
const UNREADABLE = "unreadable";
const START: RequestCall = { method: "POST", path: "/v1/run", idempotency: { header: "Idempotency-Key" } };
const QUOTE: RequestCall = { method: "POST", path: "/v1/quote" };
const READ: RequestCall = { method: "GET", path: "/v1/runs/${run.externalId}" };
const STOP: RequestCall = { method: "POST", path: "/v1/runs/${run.externalId}/stop" };

function talkOf(request: Talk["request"], signal: AbortSignal): Talk {
  const { run } = request.entry.request;
  if (run === undefined) throw new Error(`${request.entry.path} is no endpoint of a market`);
  return { request, run, host: new URL(request.entry.http.baseUrl).host, signal, attempts: [] };
}

function withHops(call: RequestCall, { request: { market } }: Talk): RequestCall {
  if (market === undefined || market.hops.length === 0) return call;
  return { ...call, headers: { [HOPS_HEADER]: market.hops.join(" ") } };
}

/** The same for every try of a run: the market compares it by the key. */
function bodyOf({ request: { input, market }, run }: Talk): unknown {
  const body = { provider: run.provider, endpoint: run.endpoint, input };
  if (!run.additions || market === undefined) return body;
  const { maxCostMicroDollars, maxPages, deadlineMs, hops } = market;
  return {
    ...body,
    ...(maxCostMicroDollars !== undefined && { maxCost: { value: maxCostMicroDollars / 1e6, currency: "USD" } }),
    ...(maxPages !== undefined && { maxPages }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(hops.length > 0 && { tags: { [HOPS_TAG]: hops.join(" ") } }),
  };
}

function exchangeMs({ request: { entry } }: Talk): number {
  return Math.min(entry.http.timeoutMs, LONGEST_EXCHANGE_MS);
}

/** Half of an exchange at most: the answer has to arrive in it, too. */
function waitSeconds(talk: Talk): string {
  return String(Math.min(MOST_WAIT_SECONDS, Math.floor(exchangeMs(talk) / 2_000)));
}

function delayOf({ entry }: Pick<ProviderRequest, "entry">, polls: number): number {
  return entry.async === undefined ? 0 : pollDelayMs(entry.async, polls);
}

/** What to do next, where the market's own words are about its owner's commands and not about ours. */
const NEXT: Readonly<Record<number, string>> = {
  401: "the key is not valid there: set a new one with mkt secrets set",
  402: "the wallet there, or the maximum known here, does not cover it: ask its operator, or run mkt catalog drift",
  403: "the key may not do that there: ask its operator",
  404: "it no longer has this endpoint: mkt catalog drift shows what it has",
  508: "the run would come back to a market that it came through",
};

function messageOf({ status, body }: Exchange, { host }: AnsweringMarket): string {
  const message = memberOf(body, "message");
  const told = typeof message === "string" && message.trim() !== "" ? `: ${message}` : "";
  const next = NEXT[status];
  return `${host} answered ${status}${next === undefined ? "" : `, ${next}`}${told}`;
}

async function pause(delayMs: number, talk: Talk): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal: talk.signal });
  } catch {
    throw new NoAnswerError(`Time was up before ${talk.host} said what became of the run`, {
      source: "mkt",
      maybeExecuted: true,
      attempts: talk.attempts,
      cause: talk.signal.reason as unknown,
    });
  }
}

function uncertain({ message, source, cause }: NoAnswerError, { attempts }: Talk, remote?: RemoteRun): NoAnswerError {
  const known = remote === undefined ? {} : { remote };
  return new NoAnswerError(message, { source, cause, maybeExecuted: true, attempts, ...known });
}

function unreadable({ host, attempts }: Talk): NoAnswerError {
  const message = `${host} took the run, but its answer names no run: it may not be a market, or another version of one`;
  return new NoAnswerError(message, { source: "provider", maybeExecuted: true, attempts });
}

function forgotten({ host, attempts }: Talk, runId: string): NoAnswerError {
  return new NoAnswerError(`${host} no longer knows its run ${runId}`, {
    source: "provider",
    maybeExecuted: true,
    attempts,
    remote: { runId, status: UNKNOWN },
  });
}
