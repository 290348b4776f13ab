import type { CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import type { Async, Call, RequestCall } from "../manifest/manifest.ts";
import type { Clock } from "../base/clock.ts";
import { toAnswer } from "./answer/answer.ts";
import type { ExtractScope } from "../manifest/extract.ts";
import { factsOfJob } from "./answer/read-job.ts";
import {
  type Attempt,
  NoAnswerError,
  type ProviderAnswer,
  type ProviderJob,
  type ProviderRequest,
} from "./protocol/provider.ts";
import type { LiteralQuery } from "./request/build-request.ts";
import { giveWay } from "./sending/json-answer.ts";
import { UnreadableAnswerError } from "./sending/read-body.ts";
import type { Redactor } from "../redaction/redact.ts";
import { readResult } from "./result-pages.ts";
import type { TemplateScope } from "../manifest/template.ts";
import type { JudgedExchange, VendorCaller } from "./vendor-call.ts";

export interface ConversationParts {
  readonly caller: VendorCaller;
  readonly redactor: Redactor;
  readonly secretsOf: (provider: CatalogProvider) => Readonly<Record<string, string>>;
  readonly clock: Clock;
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
    this.#templates = { secrets: parts.secretsOf(entry.provider), input, runId };
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
  async begin(): Promise<JudgedExchange> {
    const { entry, input, body } = this.request;
    return await this.#parts.caller.make({
      entry,
      call: entry.request,
      templates: this.#templates,
      facts: this.#facts,
      callerInput: input,
      ...(body !== undefined && { body }),
      media: entry.async === undefined ? entry.output.media : "auto",
      repeatable: entry.idempotent || entry.request.idempotency !== undefined,
      retries: true,
      ...(entry.async === undefined ? { totalMs: entry.http.timeoutMs } : { exchangeTimeoutMs: entry.http.timeoutMs }),
      maxResponseBytes: entry.http.maxResponseBytes,
      signal: this.#signal,
      attempts: this.attempts,
    });
  }

  /** An exchange about an existing job: it reads or stops, so it may be repeated, and the job has been executed. */
  async ask(
    call: Call | RequestCall,
    how: { readonly retries: boolean; readonly isOutput: boolean; readonly query?: LiteralQuery },
  ): Promise<JudgedExchange> {
    const { entry } = this.request;
    const { retries, isOutput, query } = how;
    try {
      return await this.#parts.caller.make({
        entry,
        call,
        ...(query !== undefined && { query }),
        templates: this.#templates,
        facts: this.#facts,
        media: isOutput ? entry.output.media : "auto",
        repeatable: true,
        retries,
        exchangeTimeoutMs: entry.http.timeoutMs,
        maxResponseBytes: entry.http.maxResponseBytes,
        signal: this.#signal,
        attempts: this.attempts,
      });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      const { source, attempts, cause } = error;
      throw new NoAnswerError(error.message, { source, attempts, cause, maybeExecuted: true });
    }
  }

  /** The result of a finished job, page by page if it has pages. */
  async fetchResult(call: NonNullable<Async["result"]>): Promise<ProviderAnswer> {
    const { entry } = this.request;
    try {
      const result = await readResult(call, this.#facts, {
        maxBytes: entry.http.maxResponseBytes,
        fetch: async (page, query) =>
          await this.ask(page, { retries: true, isOutput: true, ...(query !== undefined && { query }) }),
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

  async answer({ exchange, verdict }: JudgedExchange, notes: readonly string[] = []): Promise<ProviderAnswer> {
    const { entry } = this.request;
    const { redactor } = this.#parts;
    const answer = toAnswer({ entry, exchange, verdict, facts: this.#facts, redactor, attempts: this.attempts, notes });
    await giveWay(exchange.bytes);
    return answer;
  }
}
