import type { RunId } from "../base/ids.ts";
import type { CatalogEntry, CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import { findLogin } from "../manifest/login-auth.ts";
import type { Async, Call, Pages, RequestCall } from "../manifest/manifest.ts";
import type { Clock } from "../base/clock.ts";
import { toAnswer } from "./answer/answer.ts";
import type { ExtractScope } from "../manifest/extract.ts";
import { factsOfJob } from "./answer/read-job.ts";
import {
  type Attempt,
  type Measured,
  NoAnswerError,
  type ProviderAnswer,
  type ProviderJob,
  type ProviderRequest,
} from "./protocol/provider.ts";
import { giveWay, isLarge } from "./sending/json-answer.ts";
import { UnreadableAnswerError } from "./sending/read-body.ts";
import type { Redactor } from "../redaction/redact.ts";
import { readResult } from "./result-pages.ts";
import { type JoinedPages, type PageRead, readEndpointPages } from "./endpoint-pages.ts";
import type { NextPage } from "./next-page.ts";
import { nextInput } from "./next-input.ts";
import { type PageField, withPageField } from "./page-field.ts";
import { measurePage } from "./answer/answer.ts";
import type { TemplateScope } from "../manifest/template.ts";
import type { JudgedExchange, VendorCall, VendorCaller } from "./vendor-call.ts";

export interface ConversationParts {
  readonly caller: VendorCaller;
  readonly redactor: Redactor;
  readonly secretsOf: (provider: CatalogProvider) => Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Absent: nothing is traced. */
  readonly traceparentOf?: (runId: RunId) => string;
}

/** The data of the job that a conversation is about. */
export type KnownJob = Pick<ProviderJob, "externalId" | "state">;

/** One start, poll or stop: all exchanges with the provider that it needs, with one record of attempts. */
export class Conversation {
  readonly attempts: Attempt[] = [];
  readonly request: ProviderRequest;
  readonly #parts: ConversationParts;
  readonly #signal: AbortSignal;
  #templates: TemplateScope;
  #facts: ExtractScope;

  constructor(parts: ConversationParts, request: ProviderRequest, signal: AbortSignal) {
    const { input, runId, entry } = request;
    this.request = request;
    this.#parts = parts;
    this.#signal = signal;
    const traceparent = entry.http.traceparent && parts.traceparentOf?.(runId);
    this.#templates = {
      secrets: parts.secretsOf(entry.provider),
      input,
      runId,
      ...(traceparent !== undefined && { traceparent }),
    };
    this.#facts = { input };
  }

  /** The facts that extractors may read beside an answer itself. */
  get facts(): ExtractScope {
    return this.#facts;
  }

  learn(facts: ExtractScope): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  about({ externalId, state }: KnownJob): this {
    this.#templates = { ...this.#templates, externalId, state };
    this.learn(factsOfJob(state, this.#parts.clock.now()));
    return this;
  }

  /** Makes the vendor call itself, with the caller's fields; for how often: docs/manifest.md, "Repeats". */
  begin(): Promise<JudgedExchange> {
    return this.#call();
  }

  /** The answer of an endpoint with pages: `first`, and what the pages after it have. */
  async readOn(pages: Pages, first: JudgedExchange, startedAtMs: number): Promise<ProviderAnswer> {
    const { entry, reading } = this.request;
    const { clock } = this.#parts;
    const joined = await readEndpointPages(
      pages,
      { ...first, elapsedMs: clock.now() - startedAtMs },
      {
        facts: this.#facts,
        maxPages: Math.min(pages.max, reading?.maxPages ?? pages.max),
        maxBytes: entry.http.maxResponseBytes,
        fetch: async (page, { maxBytes }) => {
          const begunAtMs = clock.now();
          const totalMs = Math.max(0, entry.http.timeoutMs - (begunAtMs - startedAtMs));
          return { ...(await this.#call({ page, maxBytes, totalMs })), elapsedMs: clock.now() - begunAtMs };
        },
        measure: (page) => this.#measure(page),
        mayReadOn: reading?.mayReadOn ?? (() => true),
      },
    );
    this.learn({ elapsedMs: clock.now() - startedAtMs });
    return await this.#answerOfPages(joined);
  }

  #measure({ exchange, verdict, elapsedMs }: PageRead): Measured {
    const scope = { ...this.#facts, ...exchange, elapsedMs };
    return measurePage(this.request.entry, verdict, scope);
  }

  async #answerOfPages({ measured, pages, next, notes, ...judged }: JoinedPages): Promise<ProviderAnswer> {
    const answer = await this.answer(judged, notes, measured);
    const { entry } = this.request;
    const goesOnWith = next === undefined ? undefined : nextInput(entry.input, next, this.#parts.redactor);
    if (next?.kind !== "field" || goesOnWith === undefined) return { ...answer, pages };
    const hint = `The next page begins with ${next.name}=${next.value}`;
    return { ...answer, notes: [...answer.notes, hint], pages: { ...pages, next: goesOnWith } };
  }

  /** The vendor call itself; with `page`, the one that asks for a further page of its list. */
  #call(
    further: { readonly page?: NextPage; readonly maxBytes?: number; readonly totalMs?: number } = {},
  ): Promise<JudgedExchange> {
    const { entry, input: given, body, asMember } = this.request;
    const { timeoutMs } = entry.http;
    const { page, maxBytes = entry.http.maxResponseBytes, totalMs = timeoutMs } = further;
    const input = page?.kind === "field" ? withPageField(given, page, entry.input) : given;
    const keepsBody = body !== undefined && !(page?.kind === "field" && page.in === "body");
    return this.#parts.caller.make({
      entry,
      call: entry.request,
      templates: { ...this.#templates, input },
      ...ofWorkspace(this.request),
      facts: this.#facts,
      callerInput: input,
      ...(page?.kind === "address" && { address: page.address }),
      ...(keepsBody && { body }),
      ...(entry.async === undefined ? readingOf(entry) : { media: "auto" as const }),
      repeatable: entry.idempotent || entry.request.idempotency !== undefined,
      retries: true,
      ...(asMember?.hasNext === true && page === undefined && { hasAlternative: true }),
      ...(entry.async === undefined && { totalMs }),
      ...(entry.async !== undefined
        ? { exchangeTimeoutMs: timeoutMs }
        : asMember !== undefined && { exchangeTimeoutMs: totalMs }),
      maxResponseBytes: maxBytes,
      signal: this.#signal,
      attempts: this.attempts,
    });
  }

  /** An exchange about an existing job: it reads or stops, so it may be repeated, and the job has been executed. */
  async ask(
    call: Call | RequestCall,
    how: { readonly retries: boolean; readonly isOutput: boolean; readonly page?: NextPage },
  ): Promise<JudgedExchange> {
    const { entry } = this.request;
    const { retries, isOutput, page } = how;
    try {
      return await this.#parts.caller.make({
        entry,
        call,
        ...(page?.kind === "field" && fieldOfResult(page, entry)),
        ...(page?.kind === "address" && { address: page.address }),
        templates: this.#templates,
        ...ofWorkspace(this.request),
        facts: this.#facts,
        ...(isOutput ? readingOf(entry) : { media: "auto" as const }),
        repeatable: true,
        retries,
        exchangeTimeoutMs: entry.http.timeoutMs,
        maxResponseBytes: entry.http.maxResponseBytes,
        signal: this.#signal,
        attempts: this.attempts,
      });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      const { source, attempts, cause, setup, isTooLarge } = error;
      const facts = { source, attempts, cause, isTooLarge, ...(setup !== undefined && { setup }) };
      throw new NoAnswerError(error.message, { ...facts, maybeExecuted: true });
    }
  }

  /** The result of a finished job, page by page if it has pages. */
  async fetchResult(call: NonNullable<Async["result"]>): Promise<ProviderAnswer> {
    const { entry } = this.request;
    try {
      const result = await readResult(call, this.#facts, {
        maxBytes: entry.http.maxResponseBytes,
        maxPages: this.request.reading?.maxPages,
        fetch: async (asked, page) =>
          await this.ask(asked, { retries: true, isOutput: true, ...(page !== undefined && { page }) }),
      });
      return await this.answer(result, result.notes);
    } catch (error) {
      if (!(error instanceof UnreadableAnswerError)) throw error;
      throw new NoAnswerError(`No result from ${entry.provider.provider}: ${error.message}`, {
        source: "provider",
        maybeExecuted: true,
        attempts: this.attempts,
      });
    }
  }

  /** `measured`: for an answer of several pages, which were measured one by one. */
  async answer(
    { exchange, verdict }: JudgedExchange,
    notes: readonly string[] = [],
    measured?: Measured,
  ): Promise<ProviderAnswer> {
    const { entry } = this.request;
    const { redactor } = this.#parts;
    const isRefused = exchange.status === 401 && findLogin(entry.http.auth) !== undefined;
    const answer = toAnswer({
      entry,
      exchange,
      verdict,
      facts: this.#facts,
      redactor,
      attempts: this.attempts,
      notes: isRefused ? [...notes, refusedToken(entry)] : notes,
      ...(measured !== undefined && { measured }),
    });
    if (isLarge(exchange.bytes)) await giveWay();
    return answer;
  }
}

/** Of the call for a further page of a job's result. */
function fieldOfResult(page: PageField, { input }: CatalogEntry): Pick<VendorCall, "query" | "callerInput"> {
  if (page.in === "body") return { callerInput: withPageField({}, page, input) };
  return { query: { [page.name]: String(page.value) } };
}

/** How the answer that is the output is read. */
function readingOf({ output: { media, delimiter } }: CatalogEntry): Pick<VendorCall, "media" | "delimiter"> {
  return { media, ...(delimiter !== undefined && { delimiter }) };
}

function ofWorkspace({ workspaceId, account }: ProviderRequest): Pick<VendorCall, "workspaceId" | "account"> {
  return { ...(workspaceId !== undefined && { workspaceId }), ...(account !== undefined && { account }) };
}

function refusedToken({ provider: { provider } }: CatalogEntry): string {
  return `The provider refused the access token of the workspace's connection; if the connection was revoked there: mkt connect ${provider}`;
}
