import type { RunId } from "../../base/ids.ts";
import type { RunInput } from "../../../shared/contract/runs.ts";
import type { CatalogEntry, CatalogResource } from "../../catalog/entries/catalog-entry.ts";
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

/** What one call needs: the endpoint, the checked input in composite form, and the caller. */
export interface ProviderRequest {
  readonly runId: RunId;
  readonly entry: CatalogEntry;
  readonly input: RunInput;
  /** The body of the call that `start` makes, if it was built from the same input before. */
  readonly body?: BuiltBody;
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
  readonly notes: readonly string[];
  readonly attempts: readonly Attempt[];
  /** The resource that the call created; absent when no id could be read, and for endpoints that create nothing. */
  readonly provisioned?: ProvisionedResource;
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

export interface KnownResource {
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
}

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
  /** The party that caused it, as shown in the run's `error.source`. */
  readonly source: "network" | "provider" | "mkt";
  /** True unless it is certain that the vendor never got the request. */
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
