import { ApiError } from "../../../shared/errors.ts";
import { DiskFull, GuardFailed, StorageAway, StorageFailed } from "../../ledger/transaction/commit-errors.ts";
import { DamagedOnDisk } from "../../ledger/stores/damaged-on-disk.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";

export interface ErrorResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** True if the answer hides what happened, so that it must be logged. */
  readonly hidden: boolean;
}

/** When a caller may try again. */
const DISK_FULL_RETRY_SECONDS = 10;
/** Descriptors become free as connections end. */
const OUT_OF_DESCRIPTORS_RETRY_SECONDS = 2;

/** Limits of the service that an answer may name. */
export interface ServiceLimits {
  readonly maxBodyBytes?: number;
}

/**
 * Turns anything thrown into the caller's answer: always `{ code, message }`.
 * docs/contract.md, "Error body".
 */
export function toErrorResponse(thrown: unknown, requestId: string, limits: ServiceLimits = {}): ErrorResponse {
  const error = toApiError(thrown, requestId, limits);
  return {
    status: error.status,
    body: shortened(error.toBody()),
    headers: error.headers,
    hidden: error.status === 500,
  };
}

/** Maximum length of a message, whatever text of the caller or of a file it quotes. */
const MAX_MESSAGE_CHARACTERS = 4_000;

function shortened<Body extends Readonly<Record<string, unknown>>>(body: Body): Readonly<Record<string, unknown>> {
  const { message } = body;
  if (typeof message !== "string" || message.length <= MAX_MESSAGE_CHARACTERS) return body;
  return { ...body, message: `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…` };
}

function toApiError(thrown: unknown, requestId: string, limits: ServiceLimits): ApiError {
  if (thrown instanceof ApiError) {
    return thrown.kind === "internal" ? internal(thrown, requestId) : thrown;
  }
  if (thrown instanceof GuardFailed) {
    return fromGuard(thrown);
  }
  if (thrown instanceof DiskFull) return diskFull(thrown);
  if (thrown instanceof StorageAway) return storageAway(thrown);
  if (thrown instanceof StorageFailed) {
    return new ApiError(
      "unavailable",
      "The service cannot write to its storage and takes no more work; its operator has to look at the disk and restart it",
      { cause: thrown, errorCode: "STORAGE_FAILED" },
    );
  }
  if (thrown instanceof DamagedOnDisk) {
    return new ApiError(
      "internal",
      `${thrown.what} is damaged on the service's disk and cannot be read; no money is lost by it, balances are kept apart. ` +
        "`mkt doctor` shows the service's operator where the damage is and how to repair it",
      { cause: thrown, extra: { next: "mkt doctor" } },
    );
  }
  return fromFramework(thrown, limits) ?? internal(thrown, requestId);
}

function internal(cause: unknown, requestId: string): ApiError {
  return new ApiError("internal", `Internal error; request ${requestId}`, { cause });
}

/** The message does not name the host of the database: callers are others than its operator. */
function storageAway(cause: StorageAway): ApiError {
  return new ApiError(
    "unavailable",
    "The service cannot reach its database now; what is acknowledged is safe. Send the request again, a POST with its Idempotency-Key",
    { cause, retryAfterSeconds: cause.retryAfterSeconds },
  );
}

function diskFull(cause: unknown): ApiError {
  return new ApiError(
    "diskFull",
    "The disk of this service is full, so it takes nothing new; nothing was recorded, called or charged. " +
      "Open runs still end, and everything can be read. The service continues by itself when its operator has made room",
    { cause, retryAfterSeconds: DISK_FULL_RETRY_SECONDS },
  );
}

/** The fallback for a failed guard; services give better messages for their own guards. */
function fromGuard(failed: GuardFailed): ApiError {
  const options = { cause: failed };
  switch (failed.guard.kind) {
    case "consoleTicket":
      return new ApiError("unauthorized", "The ticket was used already", options);
    case "labelFree":
      return new ApiError("conflict", `A key with the label "${failed.guard.label}" exists already`, options);
    case "slugFree":
      return new ApiError("conflict", `A workspace with the slug "${failed.guard.slug}" exists already`, options);
    case "idFree":
      return new ApiError("conflict", "Somebody else created this in the meantime; try again", options);
    case "resourceRevision":
    case "holderOfId":
      return new ApiError("conflict", "The resource has changed in the meantime; read it again", options);
    case "operatorKeys":
      return new ApiError("conflict", "Keys with the operator grant have changed in the meantime; try again", options);
    case "keyActive":
      // It is the caller's own key: answer as if the request had come a moment later.
      return new ApiError("unauthorized", "Unauthorized: the key has been revoked in the meantime", {
        ...options,
        headers: { "www-authenticate": "Bearer" },
      });
    case "condition":
      return new ApiError("conflict", "This is known already", options);
    case "schedule":
      return new ApiError("conflict", "The schedule has changed in the meantime; read it again", options);
    case "roomForSchedule":
      return new ApiError(
        "conflict",
        `This workspace has ${failed.guard.most} schedules, which is the maximum`,
        options,
      );
    case "noOwner":
      return new ApiError("conflict", "The data folder already has an owner", options);
  }
}

function fromFramework(thrown: unknown, { maxBodyBytes }: ServiceLimits): ApiError | undefined {
  const options = { cause: thrown };
  switch (systemErrorCode(thrown)) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new ApiError(
        "tooLarge",
        `The body is larger than this service takes${maxBodyBytes === undefined ? "" : `: at most ${maxBodyBytes} bytes, which its operator sets with MKT_MAX_BODY_BYTES`}`,
        options,
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new ApiError("unsupportedMediaType", "Send the body as Content-Type: application/json", options);
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new ApiError("invalidInput", "The body is not as long as Content-Length says", options);
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
      return new ApiError(
        "invalidInput",
        "The path is not a valid one; percent-encode what is not a plain letter",
        options,
      );
    case "EMFILE":
    case "ENFILE":
      return new ApiError("unavailable", "The service has too many files and connections open; try again in a moment", {
        cause: thrown,
        retryAfterSeconds: OUT_OF_DESCRIPTORS_RETRY_SECONDS,
      });
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(thrown);
    case "ECONNRESET":
      return new ApiError("invalidInput", "The request ended before its body did", options);
    default:
      return undefined;
  }
}
