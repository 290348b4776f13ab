/**
 * The provider said by the rules of HTTP/2 that it did nothing with the request: it refused the stream, or it closed the
 * connection with a last stream before this one. Sources: RFC 9113, 6.8 and 8.7.
 */
export class NotExecutedError extends Error {
  override readonly name = "NotExecutedError";
  readonly code: string;

  constructor(code: string) {
    super("the provider did not process the request");
    this.code = code;
  }
}
