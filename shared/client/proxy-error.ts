/** The proxy that the environment names could not be reached, or does not let the request through. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** The variable that names it. */
  readonly from: string;
  /** What the proxy answered when it was asked for a tunnel. */
  readonly status: number | undefined;

  constructor(message: string, proxy: { from: string; status?: number | undefined; cause?: unknown }) {
    super(message, { cause: proxy.cause });
    this.from = proxy.from;
    this.status = proxy.status;
  }
}
