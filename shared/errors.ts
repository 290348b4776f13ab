import type { ErrorBody, ErrorCode } from "./contract/common.ts";

export type { ErrorBody } from "./contract/common.ts";

/** The only mapping of error kinds to HTTP statuses. docs/contract.md, "Statuses". */
export const statusByErrorKind = {
  invalidInput: 400,
  unauthorized: 401,
  insufficientFunds: 402,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  timedOut: 408,
  conflict: 409,
  tooLarge: 413,
  unsupportedMediaType: 415,
  unprocessable: 422,
  rateLimited: 429,
  headTooLarge: 431,
  internal: 500,
  badGateway: 502,
  unavailable: 503,
  diskFull: 507,
  loopDetected: 508,
} as const;

export type ErrorKind = keyof typeof statusByErrorKind;

const errorCodeByKind: Partial<Record<ErrorKind, ErrorCode>> = {
  rateLimited: "RATE_LIMITED",
};

export interface ApiErrorOptions {
  cause?: unknown;
  /** Replaces the default code of the kind. */
  errorCode?: ErrorCode;
  /** Sent as the header Retry-After, rounded up to whole seconds. */
  retryAfterSeconds?: number;
  /** Further response headers, names in lower case. */
  headers?: Record<string, string>;
  /**
   * Further members of the body, such as `runId`; they never replace `code` and `message`. `next` is a command of `mkt`
   * for the caller to type, which the CLI shows.
   */
  extra?: Record<string, unknown>;
}

/**
 * An error that is reported to a caller. The message is for people: what happened, to what, what to do next. Any other
 * error becomes a 500 without its text.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly kind: ErrorKind;
  readonly status: number;
  readonly errorCode: ErrorCode | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(kind: ErrorKind, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.status = statusByErrorKind[kind];
    this.errorCode = options.errorCode ?? errorCodeByKind[kind];
    this.headers = {
      ...options.headers,
      ...(options.retryAfterSeconds === undefined
        ? {}
        : { "retry-after": String(Math.max(0, Math.ceil(options.retryAfterSeconds))) }),
    };
    this.extra = options.extra ?? {};
  }

  /** The answer's body: `extra`, then `code`, `message` and, if there is one, `errorCode`. */
  toBody(): ErrorBody & Record<string, unknown> {
    return {
      ...this.extra,
      code: this.status,
      message: this.message,
      ...(this.errorCode === undefined ? {} : { errorCode: this.errorCode }),
    };
  }
}
