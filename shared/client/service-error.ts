/** The service answered with an error status. `body` is the parsed answer; it may be a run, for 408 and 502. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly body: unknown;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
  /** The URL of the request. */
  readonly url: string | undefined;

  constructor(
    message: string,
    answer: { status: number; body: unknown; headers: Record<string, string>; url?: string },
  ) {
    super(message);
    this.url = answer.url;
    this.status = answer.status;
    this.body = answer.body;
    this.headers = answer.headers;
    this.requestId = answer.headers["x-request-id"];
  }
}

/**
 * There was no answer: refused, not found, cut off. Not used for an aborted signal, whose reason is thrown unchanged.
 */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  readonly url: string;

  constructor(url: string, cause: unknown) {
    const why = cause instanceof Error && cause.message !== "" ? cause.message : codeOf(cause);
    super(`No answer from ${url}: ${why}`, { cause });
    this.url = url;
  }
}

function codeOf(cause: unknown): string {
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause);
}
