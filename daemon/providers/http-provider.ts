import type { RunId } from "../base/ids.ts";
import type { CatalogEntry, CatalogProvider, CatalogResource, SecretCheck } from "../catalog/entries/catalog-entry.ts";
import type { Async } from "../manifest/manifest.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type AccountTokens, noAccounts } from "./account-tokens.ts";
import { AccessTokens } from "./client-credentials.ts";
import { Connections } from "./sending/connections.ts";
import { Conversation, type ConversationParts } from "./conversation.ts";
import { isSuccess } from "./answer/error-rules.ts";
import { readPath } from "../manifest/extract.ts";
import {
  isDoneAtOnce,
  keepOfStart,
  pollDelayMs,
  readExternalId,
  readJobMessage,
  readJobState,
  readJobWord,
  readKept,
  readProgress,
} from "./answer/read-job.ts";
import { MarketCaller } from "./market-caller.ts";
import {
  type KnownResource,
  type MarketQuote,
  type MarketQuoter,
  NoAnswerError,
  type Provider,
  type ProviderAnswer,
  type ProviderCallOptions,
  type ProviderJob,
  type ProviderOutcome,
  type ProviderRequest,
  type ProviderStopped,
  type StopOutcome,
  type ResourceKeeper,
  type ListedTool,
  type ToolLister,
  type SecretVerifier,
} from "./protocol/provider.ts";
import { type BuiltinOrigin, ProviderHomes } from "./provider-homes.ts";
import { createRedactor, type Redactor } from "../redaction/redact.ts";
import { isRecord } from "../../shared/is-record.ts";
import { memberOf } from "../../shared/member-of.ts";
import { giveBackAtProvider, verifyResource } from "./resource-calls.ts";
import { verifySecrets } from "./verify-secrets.ts";
import { type JudgedExchange, VendorCaller } from "./vendor-call.ts";

export interface HttpProviderParts {
  /** Values of the secrets that this version of the provider declares, if granted and set. */
  readonly secretsOf: (provider: CatalogProvider) => Readonly<Record<string, string>>;
  /** Starts a built-in provider on first use. */
  readonly builtinOrigin: (name: string) => Promise<BuiltinOrigin>;
  /** `host` or `host:port`, from the operator's own setting. */
  readonly allowPrivateHosts: ReadonlySet<string>;
  /** Private hosts that the operator granted to this version of a provider. */
  readonly privateHostsGranted: (version: CatalogProvider) => Iterable<string>;
  /** Certificate authorities instead of those of the process, in PEM. */
  readonly ca?: string;
  /** The accounts of workspaces; absent: none is connected. */
  readonly accounts?: AccountTokens;
  readonly redactor: Redactor;
  /** W3C trace context for calls of a run; absent: nothing is traced. */
  readonly traceparentOf?: (runId: RunId) => string;
  readonly clock?: Clock;
  /** 0 to 1, for backoff. */
  readonly random?: () => number;
}

/** Providers that are called over HTTP as their manifest says. Nothing that it returns or throws contains a secret. */
export function createHttpProvider(
  parts: HttpProviderParts,
): Provider & ResourceKeeper & ToolLister & MarketQuoter & SecretVerifier {
  return new HttpProvider(parts);
}

class HttpProvider implements Provider, ResourceKeeper, ToolLister, MarketQuoter, SecretVerifier {
  readonly #redactor: Redactor;
  readonly #clock: Clock;
  readonly #connections: Connections;
  readonly #conversations: ConversationParts;
  readonly #market: MarketCaller;

  constructor(parts: HttpProviderParts) {
    const { redactor, clock = systemClock, builtinOrigin, secretsOf } = parts;
    this.#redactor = redactor;
    this.#clock = clock;
    this.#connections = new Connections(parts);
    const caller = new VendorCaller({
      homes: new ProviderHomes({ connections: this.#connections, builtinOrigin, redactor }),
      tokens: new AccessTokens({ clock, redactor }),
      accounts: parts.accounts ?? noAccounts,
      redactor,
      clock,
      random: parts.random ?? Math.random,
    });
    const { traceparentOf } = parts;
    this.#conversations = { caller, redactor, clock, secretsOf, ...(traceparentOf && { traceparentOf }) };
    this.#market = new MarketCaller(this.#conversations);
  }

  async verifySecrets(check: SecretCheck, options: ProviderCallOptions) {
    return await verifySecrets(this.#conversations, check, options);
  }

  async start(request: ProviderRequest, options: ProviderCallOptions): Promise<ProviderOutcome> {
    if (request.entry.request.run !== undefined) return await this.#market.start(request, options);
    const { signal } = options;
    const startedAtMs = this.#clock.now();
    const talk = new Conversation(this.#conversations, request, signal);
    const judged = await talk.begin();
    talk.learn({
      elapsedMs: this.#clock.now() - startedAtMs,
      readStart: (steps) => readPath(judged.exchange.body, steps),
    });
    const rules = request.entry.async;
    if (!judged.verdict.success) {
      const refused = await talk.answer(judged);
      return judged.maybeExecuted === false ? { ...refused, notExecuted: true } : refused;
    }
    const { pages } = request.entry;
    if (rules === undefined && pages !== undefined) return await talk.readOn(pages, judged, startedAtMs);
    if (rules === undefined) return await talk.answer(judged);
    return await this.#accepted(rules, talk, judged, startedAtMs);
  }

  /** A start that was accepted: a job to poll, or an immediate result. */
  async #accepted(
    rules: Async,
    talk: Conversation,
    judged: JudgedExchange,
    startedAtMs: number,
  ): Promise<ProviderAnswer | ProviderJob> {
    const { entry } = talk.request;
    const scope = { ...talk.facts, ...judged.exchange };
    const externalId = readExternalId(rules, scope);
    const state = this.#redactor.json({
      ...keepOfStart(entry, judged.exchange.body, startedAtMs),
      ...readKept(rules.start.keep, scope),
    });
    if (isDoneAtOnce(rules, scope)) {
      if (externalId === undefined || rules.result === undefined) return await talk.answer(judged);
      return await talk.about({ externalId, state }).fetchResult(rules.result);
    }
    if (externalId === undefined || this.#redactor.text(externalId) !== externalId) {
      throw new NoAnswerError(`${entry.provider.provider} accepted the job but its answer has no usable job id`, {
        source: "provider",
        maybeExecuted: true,
        attempts: talk.attempts,
      });
    }
    return { kind: "job", externalId, state, pollAfterMs: pollDelayMs(rules, 0), polls: 0, attempts: talk.attempts };
  }

  async poll(request: ProviderRequest, job: ProviderJob, options: ProviderCallOptions): Promise<ProviderOutcome> {
    if (request.entry.request.run !== undefined) return await this.#market.poll(request, job, options);
    const { signal } = options;
    const rules = asyncRulesOf(request.entry);
    const talk = new Conversation(this.#conversations, request, signal).about(job);
    const polls = job.polls + 1;
    const running: ProviderJob = { ...job, pollAfterMs: pollDelayMs(rules, polls), polls, attempts: talk.attempts };
    let judged: JudgedExchange;
    try {
      judged = await talk.ask(rules.poll, { retries: false, isOutput: false });
    } catch (error) {
      // A failed poll says nothing about the job.
      if (error instanceof NoAnswerError && error.source === "network" && !signal.aborted) return running;
      throw error;
    }
    if (rules.poll.transient.includes(judged.exchange.status)) return running;
    return await this.#polled(rules, talk, judged, running);
  }

  async #polled(
    rules: Async,
    talk: Conversation,
    { exchange, verdict }: JudgedExchange,
    running: ProviderJob,
  ): Promise<ProviderAnswer | ProviderJob | ProviderStopped> {
    const scope = { ...talk.facts, ...exchange };
    const state = this.#redactor.json({ ...running.state, ...readKept(rules.poll.keep, scope) });
    const told = isSuccess(exchange.status) ? readJobState(rules, scope) : "unknown";
    if (told === "running" || (told === "unknown" && verdict.success)) {
      const progress = readProgress(rules, scope);
      const { progressUnit } = rules.poll;
      const unit = progressUnit === undefined ? {} : { progressUnit };
      const news = progress === undefined ? {} : { progress: this.#redactor.json(progress), ...unit };
      return { ...running, ...news, state, attempts: [] };
    }
    if (told === "stopped") return { kind: "stopped", attempts: talk.attempts };
    if (told === "failed") {
      const message =
        readJobMessage(rules, scope) ?? verdict.message ?? `The job ended as ${readJobWord(rules, scope)}`;
      return await talk.answer({ exchange, verdict: { httpStatus: 500, success: false, empty: false, message } });
    }
    if (told === "unknown" || rules.result === undefined) return await talk.answer({ exchange, verdict });
    return await talk.about({ externalId: running.externalId, state }).fetchResult(rules.result);
  }

  async quoteAtMarket(request: Omit<ProviderRequest, "runId">, options: ProviderCallOptions): Promise<MarketQuote> {
    return await this.#market.quote(request, options);
  }

  async stop(request: ProviderRequest, job: ProviderJob, options: ProviderCallOptions): Promise<StopOutcome> {
    if (request.entry.request.run !== undefined) return await this.#market.stop(request, job, options);
    const { signal } = options;
    const { stop } = asyncRulesOf(request.entry);
    if (stop === undefined) return { outcome: "unsupported", attempts: [] };
    const talk = new Conversation(this.#conversations, request, signal).about(job);
    try {
      const { exchange } = await talk.ask(stop, { retries: true, isOutput: false });
      const outcome = stop.ok.includes(exchange.status) ? "stopped" : "refused";
      return { outcome, httpStatus: exchange.status, attempts: talk.attempts };
    } catch (error) {
      if (error instanceof NoAnswerError && !signal.aborted) return { outcome: "refused", attempts: talk.attempts };
      throw error;
    }
  }

  async verify(kind: CatalogResource, resource: KnownResource, options: ProviderCallOptions) {
    return await verifyResource(this.#conversations, kind, resource, options);
  }

  async giveBack(kind: CatalogResource, resource: KnownResource, options: ProviderCallOptions) {
    return await giveBackAtProvider(this.#conversations, kind, resource, options);
  }

  async listTools(entry: CatalogEntry, { signal }: ProviderCallOptions): Promise<readonly ListedTool[]> {
    const { caller, secretsOf } = this.#conversations;
    const secrets = secretsOf(entry.provider);
    const { exchange } = await caller.make({
      entry,
      call: entry.request,
      lists: true,
      templates: { secrets, input: {}, runId: "" },
      facts: { input: {} },
      body: { content: "{}", contentType: "application/json" },
      media: "auto",
      repeatable: true,
      retries: false,
      maxResponseBytes: entry.http.maxResponseBytes,
      signal,
      attempts: [],
    });
    const tools = memberOf(exchange.body, "tools");
    if (!Array.isArray(tools))
      throw new Error(`${entry.provider.provider} would not list its tools (${exchange.status})`);
    // As an import removes them, so that the same tools have the same print.
    return createRedactor(() => Object.values(secrets)).json(tools.filter(isRecord));
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }
}

function asyncRulesOf(entry: CatalogEntry): Async {
  if (entry.async === undefined) throw new Error(`${entry.provider.provider}${entry.path} has no jobs`);
  return entry.async;
}
