import type { RunInput } from "../../../shared/contract/runs.ts";
import type { CatalogEntry, CatalogResource } from "../../catalog/entries/catalog-entry.ts";
import type { BuiltBody } from "../request/request-body.ts";

/**
 * One vendor call that was made, kept on the run (docs/manifest.md, "Repeats": every attempt is recorded). What start, poll
 * and stop give or throw carries the attempts of that one call of ours, never earlier ones; polls that just say "running"
 * are not among them.
 */
export interface Attempt {
  /** ISO 8601. */
  readonly at: string;
  readonly durationMs: number;
  readonly httpStatus?: number;
  /** Why there was no answer; secrets removed. */
  readonly error?: string;
}

/** What one call needs: the endpoint, the checked input in composite form, and who asks. */
export interface ProviderRequest {
  readonly runId: string;
  readonly entry: CatalogEntry;
  readonly input: RunInput;
  /** Of the call that `start` makes, where it was built of the same input before. */
  readonly body?: BuiltBody;
}

export interface ProviderCallOptions {
  /** Aborts at the run's deadline, at a stop, or at shutdown; `signal.reason` says which. */
  readonly signal: AbortSignal;
}

/** What was measured on an answer; a member is absent when the manifest does not measure it, NaN when unreadable. */
export interface Measured {
  readonly count?: number;
  readonly units?: number;
  /** What the provider says it took, in micro-dollars. */
  readonly costMicroDollars?: number;
}

/** A complete answer of the provider, whatever its status: the run becomes COMPLETED. */
export interface ProviderAnswer {
  readonly kind: "answer";
  /** After the manifest's error rules: 404 for a "not found" inside a 200. */
  readonly httpStatus: number;
  /** 2xx and nothing else (docs/contract.md, "End of a run"). */
  readonly success: boolean;
  /** What the caller sees: selected, trimmed, decoded, redacted; null unless success. */
  readonly output: unknown;
  /** The whole decoded body, for price selectors `in: output`. */
  readonly body: unknown;
  readonly error?: { readonly status: number; readonly message: string; readonly body?: unknown };
  readonly measured: Measured;
  readonly notes: readonly string[];
  readonly attempts: readonly Attempt[];
  /** What the call made at the provider; absent when no id could be read, and for endpoints that make nothing. */
  readonly provisioned?: ProvisionedResource;
}

/** A resource as an answer tells of it, secrets removed. */
export interface ProvisionedResource {
  readonly externalId: string;
  /** How people call it; never empty. */
  readonly identifier: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a provider tells of a resource now. */
export interface ResourceDetail {
  /** After the manifest's error rules. */
  readonly httpStatus: number;
  readonly success: boolean;
  /** The provider knows it no longer. */
  readonly gone: boolean;
  /** What the manifest reads from the answer; empty unless success. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Why not, in the provider's words. */
  readonly message?: string;
}

/** How giving a resource back went. */
export interface GivenBack {
  readonly ok: boolean;
  readonly httpStatus: number;
  readonly message?: string;
}

/** Looks after what runs made. Both throw `NoAnswerError` when there was no readable answer; both may be repeated. */
export interface ResourceKeeper {
  /** Undefined where the manifest has no way to ask. */
  verify(
    kind: CatalogResource,
    resource: KnownResource,
    options: ProviderCallOptions,
  ): Promise<ResourceDetail | undefined>;
  /** Undefined where the manifest has no way to give it back. */
  giveBack(
    kind: CatalogResource,
    resource: KnownResource,
    options: ProviderCallOptions,
  ): Promise<GivenBack | undefined>;
}

export interface KnownResource {
  /** Our id of it. */
  readonly resourceId: string;
  /** The provider's. */
  readonly externalId: string;
}

/** A vendor job under way: plain data, so that it survives a restart of the daemon. */
export interface ProviderJob {
  readonly kind: "job";
  readonly externalId: string;
  /** Values that the manifest keeps from answers (`keep`). */
  readonly state: Readonly<Record<string, string>>;
  /** Provider's own progress, as far as it tells. */
  readonly progress?: string | number;
  /** What the manifest says that it counts (`progressUnit`). */
  readonly progressUnit?: string;
  /** How long to wait before the next poll. */
  readonly pollAfterMs: number;
  /** Polls so far, for the growing delay. */
  readonly polls: number;
  readonly attempts: readonly Attempt[];
}

/** The vendor ended the job because somebody stopped it. */
export interface ProviderStopped {
  readonly kind: "stopped";
  readonly attempts: readonly Attempt[];
}

/** How a stop went. `unsupported`: the provider cannot stop; only our polling ends. */
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
  /** Sync endpoints answer; async ones give a job (or an answer, when finished at once or refused). */
  start(request: ProviderRequest, options: ProviderCallOptions): Promise<ProviderAnswer | ProviderJob>;
  poll(
    request: ProviderRequest,
    job: ProviderJob,
    options: ProviderCallOptions,
  ): Promise<ProviderAnswer | ProviderJob | ProviderStopped>;
  stop(request: ProviderRequest, job: ProviderJob, options: ProviderCallOptions): Promise<StopOutcome>;
  close(): Promise<void>;
}

/** No readable answer: refused, reset, truncated, TLS failure, over a limit, not decodable, no job id. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** Who is to blame, as shown in the run's `error.source`. */
  readonly source: "network" | "provider" | "mkt";
  /** True unless it is sure that the vendor never got the request. */
  readonly maybeExecuted: boolean;
  readonly attempts: readonly Attempt[];

  constructor(
    message: string,
    facts: {
      source: "network" | "provider" | "mkt";
      maybeExecuted: boolean;
      attempts: readonly Attempt[];
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.source = facts.source;
    this.maybeExecuted = facts.maybeExecuted;
    this.attempts = facts.attempts;
  }
}
