/** The proxy in the environment could not be reached, or refused the request. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** The variable that names it. */
  readonly from: string;
  /** The proxy's status for a tunnel request. */
  readonly status: number | undefined;

  constructor(message: string, proxy: { from: string; status?: number | undefined; cause?: unknown }) {
    super(message, { cause: proxy.cause });
    this.from = proxy.from;
    this.status = proxy.status;
  }
}
