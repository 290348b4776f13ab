import type { RunId, WorkspaceId } from "../../base/ids.ts";
import type { RunInput } from "../../../shared/contract/runs.ts";
import type { CatalogEntry, CatalogResource, SecretCheck } from "../../catalog/entries/catalog-entry.ts";
import type { BuiltBody } from "../request/request-body.ts";

/**
 * One vendor call, recorded on the run (docs/manifest.md, "Repeats": every attempt is recorded). What start, poll and
 * stop return or throw has only the attempts of that one call of ours, never earlier ones; polls that merely say
 * "running" are left out.
 */
export interface Attempt {
  /** ISO 8601. */
  readonly at: string;
  readonly durationMs: number;
  readonly httpStatus?: number;
  /** Why there was no answer; secrets removed. */
  readonly error?: string;
}

/** A run at another market, as that market tells of it. */
export interface RemoteRun {
  readonly runId: string;
  /** In the words of the contract. */
  readonly status: string;
  /** What the market charged, in micro-dollars; absent while that is not known, or could not be read. */
  readonly costMicroDollars?: number;
  /** Of one that failed there: a provider may have executed it all the same. */
  readonly mayHaveRun?: boolean;
}

/** What a run asks of another market beside its input. All of it is the same for every try of one run. */
export interface MarketTerms {
  /** In micro-dollars; absent: the market knows no `maxCost`. */
  readonly maxCostMicroDollars?: number;
  /** Pages of a list that it may read; absent: as many as its endpoint allows. */
  readonly maxPages?: number;
  /** Within which the run has to end there. */
  readonly deadlineMs?: number;
  /** Ids of the markets that the run came through, this daemon's last. */
  readonly hops: readonly string[];
}

/** What a market says that a run would cost, in micro-dollars. */
export type MarketQuote =
  | {
      readonly kind: "quoted";
      readonly estimateMicroDollars: number;
      readonly maximumMicroDollars: number;
      /** Present: the run would wait there for a person, as what costs more than this does. */
      readonly approvalAboveMicroDollars?: number;
    }
  /** It answered something else; a run would be answered the same. */
  | { readonly kind: "refused"; readonly httpStatus: number; readonly message: string }
  | { readonly kind: "unreachable" };

/** Asks other markets for prices. */
export interface MarketQuoter {
  /** Calls nothing at the providers of the market. Rejects only for what cannot be sent, and when `signal` aborts. */
  quoteAtMarket(request: Omit<ProviderRequest, "runId">, options: ProviderCallOptions): Promise<MarketQuote>;
}

/** What one call needs: the endpoint, the checked input in composite form, and the caller. */
export interface ProviderRequest {
  /** What the provider knows the call by; a run through a route has one for each of its members. */
  readonly runId: RunId;
  /** Whose account an endpoint with a login is called with; absent for a trial outside of a daemon. */
  readonly workspaceId?: WorkspaceId;
  /** The only account of the workspace that may be used, where a person said yes to a call with it. */
  readonly account?: string;
  readonly entry: CatalogEntry;
  readonly input: RunInput;
  /** The body of the call that `start` makes, if it was built from the same input before. */
  readonly body?: BuiltBody;
  /** For an endpoint of another market. */
  readonly market?: MarketTerms;
  /**
   * For a member of a route: its call has no more time than its endpoint's own, and where there is a next member, a start that was
   * certainly not executed is not repeated at this one.
   */
  readonly asMember?: { readonly hasNext: boolean };
  /** How far a list with pages is read; absent: as far as its file says. */
  readonly reading?: PageLimits;
}

/** How far a list with pages is read. */
export interface PageLimits {
  /** Never more than the file's own limit. */
  readonly maxPages: number;
  /** Whether the price of another page still fits into what is held for the run. */
  readonly mayReadOn: (soFar: Measured) => boolean;
}

/** How far a list with pages was read. */
export interface PagesRead {
  readonly read: number;
  /** There is more, or may be. */
  readonly more: boolean;
  /** Why reading stopped before the end. */
  readonly stoppedBy?: "maxPages" | "cost" | "size" | "loop" | "failure";
  /** The input that goes on with the next page, where a caller may give it. */
  readonly next?: RunInput;
}

export interface ProviderCallOptions {
  /** Aborts at the run's deadline, at a stop, or at shutdown; `signal.reason` says which. */
  readonly signal: AbortSignal;
}

/**
 * The quantities measured on an answer; a member is absent when the manifest does not measure it, NaN when unreadable.
 */
export interface Measured {
  readonly count?: number;
  readonly units?: number;
  /** The pages of a list, each of which is a call; absent: one. */
  readonly calls?: number;
  /** The provider's own statement of its charge, in micro-dollars. */
  readonly costMicroDollars?: number;
}

/** A complete answer of the provider, whatever its status: the run becomes COMPLETED. */
export interface ProviderAnswer {
  readonly kind: "answer";
  /** After the manifest's error rules: 404 for a "not found" inside a 200. */
  readonly httpStatus: number;
  /** 2xx and nothing else (docs/contract.md, "End of a run"). */
  readonly success: boolean;
  /** The part that the caller sees: selected, trimmed, decoded, redacted; null unless success. */
  readonly output: unknown;
  /** The whole decoded body, for price selectors `in: output`. */
  readonly body: unknown;
  readonly error?: { readonly status: number; readonly message: string; readonly body?: unknown };
  readonly measured: Measured;
  /** Present where the endpoint has pages. */
  readonly pages?: PagesRead;
  readonly notes: readonly string[];
  readonly attempts: readonly Attempt[];
  /** The resource that the call created; absent when no id could be read, and for endpoints that create nothing. */
  readonly provisioned?: ProvisionedResource;
  /** The run at the market that gave the answer. */
  readonly remote?: RemoteRun;
  /** What the one counting rule of the price counted, where a market tells. */
  readonly billedUnits?: number;
  /** The provider certainly did nothing, at none of the attempts of the start. */
  readonly notExecuted?: true;
}

/** A resource as an answer describes it, with secrets removed. */
export interface ProvisionedResource {
  readonly externalId: string;
  /** Its name for people; never empty. */
  readonly identifier: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A provider's current description of a resource. */
export interface ResourceDetail {
  /** After the manifest's error rules. */
  readonly httpStatus: number;
  readonly success: boolean;
  /** The provider no longer knows it. */
  readonly gone: boolean;
  /** The values that the manifest reads from the answer; empty unless success. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The reason, in the provider's words. */
  readonly message?: string;
}

/** The result of giving a resource back. */
export interface GivenBack {
  readonly ok: boolean;
  readonly httpStatus: number;
  readonly message?: string;
}

/**
 * Manages the resources that runs created. Both throw `NoAnswerError` when there was no readable answer; both may be
 * repeated.
 */
export interface ResourceKeeper {
  /** Undefined when the manifest has no call for it. */
  verify(
    kind: CatalogResource,
    resource: KnownResource,
    options: ProviderCallOptions,
  ): Promise<ResourceDetail | undefined>;
  /** Undefined when the manifest has no call for it. */
  giveBack(
    kind: CatalogResource,
    resource: KnownResource,
    options: ProviderCallOptions,
  ): Promise<GivenBack | undefined>;
}

/** Proves a provider's secrets with the call of its file. */
export interface SecretVerifier {
  verifySecrets(
    check: SecretCheck,
    options: ProviderCallOptions,
  ): Promise<{ readonly proof: "works" | "refused" | "unknown"; readonly httpStatus?: number }>;
}

export interface KnownResource {
  readonly workspaceId?: WorkspaceId;
  /** Our own id. */
  readonly resourceId: string;
  /** The provider's id. */
  readonly externalId: string;
}

/** A vendor job in progress: plain data, so that it survives a restart of the daemon. */
export interface ProviderJob {
  readonly kind: "job";
  readonly externalId: string;
  /** Values that the manifest keeps from answers (`keep`). */
  readonly state: Readonly<Record<string, string>>;
  /** The provider's own progress, if it reports any. */
  readonly progress?: string | number;
  /** The unit of the progress according to the manifest (`progressUnit`). */
  readonly progressUnit?: string;
  /** The delay before the next poll. */
  readonly pollAfterMs: number;
  /** Polls so far, for the growing delay. */
  readonly polls: number;
  readonly attempts: readonly Attempt[];
}

/** The vendor ended the job because it was stopped. */
export interface ProviderStopped {
  readonly kind: "stopped";
  readonly attempts: readonly Attempt[];
  readonly remote?: RemoteRun;
}

/** The run at a market reached its deadline there. */
export interface ProviderTimedOut {
  readonly kind: "timedOut";
  readonly attempts: readonly Attempt[];
  readonly remote: RemoteRun;
}

/** What a start or a poll may come to. */
export type ProviderOutcome = ProviderAnswer | ProviderJob | ProviderStopped | ProviderTimedOut;

/** The result of a stop. `unsupported`: the provider cannot stop; only our polling ends. */
export interface StopOutcome {
  readonly outcome: "stopped" | "unsupported" | "refused";
  readonly httpStatus?: number;
  readonly attempts: readonly Attempt[];
}

/**
 * A way to reach providers. Answers are values, so a 404 is a result; `NoAnswerError` is thrown only when there was no
 * readable answer, and the run becomes FAILED.
 */
export interface Provider {
  /** Synchronous endpoints answer; asynchronous ones return a job (or an answer, when finished at once or refused). */
  start(request: ProviderRequest, options: ProviderCallOptions): Promise<ProviderOutcome>;
  poll(request: ProviderRequest, job: ProviderJob, options: ProviderCallOptions): Promise<ProviderOutcome>;
  stop(request: ProviderRequest, job: ProviderJob, options: ProviderCallOptions): Promise<StopOutcome>;
  close(): Promise<void>;
}

/** A tool as its server describes it, without the provider's secrets. */
export type ListedTool = Readonly<Record<string, unknown>>;

/** Reads what an MCP server offers, with the credentials of an endpoint that calls one of its tools. */
export interface ToolLister {
  /** Calls no tool. Rejects when the server lists nothing, for whatever reason. */
  listTools(entry: CatalogEntry, options: ProviderCallOptions): Promise<readonly ListedTool[]>;
}

/** No readable answer: refused, reset, truncated, TLS failure, over a limit, not decodable, no job id. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** The party that caused it, as shown in the run's `error.source`. */
  readonly source: "network" | "provider" | "mkt";
  /** True unless it is certain that the vendor never got the request. */
  readonly maybeExecuted: boolean;
  readonly attempts: readonly Attempt[];
  readonly remote: RemoteRun | undefined;
  /** What has to be set up first. */
  readonly setup: MissingSetup | undefined;
  /** The answer was larger than the call allowed. */
  readonly isTooLarge: boolean;

  constructor(
    message: string,
    facts: {
      source: "network" | "provider" | "mkt";
      maybeExecuted: boolean;
      attempts: readonly Attempt[];
      setup?: MissingSetup;
      isTooLarge?: boolean;
      cause?: unknown;
      remote?: RemoteRun;
    },
  ) {
    super(message, { cause: facts.cause });
    this.source = facts.source;
    this.maybeExecuted = facts.maybeExecuted;
    this.attempts = facts.attempts;
    this.remote = facts.remote;
    this.setup = facts.setup;
    this.isTooLarge = facts.isTooLarge === true;
  }
}

/** Something that a person has to set up before the provider can be called, with the command that does it. */
export interface MissingSetup {
  readonly errorCode: "NOT_CONNECTED";
  readonly next: string;
}
