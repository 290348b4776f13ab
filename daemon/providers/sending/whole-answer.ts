import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { BuiltRequest } from "../request/build-request.ts";
import { overLimit, UnreadableAnswerError } from "./read-body.ts";

export interface WholeAnswerOptions {
  readonly dispatcher: Dispatcher;
  /** The deadline of the whole exchange. */
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

/** Such as 103 Early Hints. One or two are usual; each costs as much as an answer to read. */
export const MAX_INFORMATIONAL_ANSWERS = 10;

/**
 * One exchange whose answer is wanted whole. It takes what the connection reads as it comes: a stream, with an iterator and a
 * signal of its own, costs a call as much as building and reading it together.
 */
export class WholeAnswer implements Dispatcher.DispatchHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  /**
   * Until a request is about to be written to its connection, the provider certainly has not received it, however the call
   * fails (DNS, refused, TLS, our own guard, a deadline while connecting).
   */
  isSent = false;
  readonly #method: string;
  readonly #options: WholeAnswerOptions;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #informational = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #resolve: (bytes: Buffer) => void = () => {};
  #reject: (error: Error) => void = () => {};
  readonly #giveUp = () => this.#fail(this.#options.signal.reason as Error);

  constructor({ method }: Pick<BuiltRequest, "method">, options: WholeAnswerOptions) {
    this.#method = method;
    this.#options = options;
  }

  /** Whether such an answer has no body, whatever its headers say. */
  get isBodiless(): boolean {
    return hasNoBody(this.#method, this.status);
  }

  /**
   * Sends the request and resolves with the body as it came, still encoded. Rejects with the signal's reason as soon as that
   * aborts, with UnreadableAnswerError over a limit, and with what the connection fails with. Call it once.
   */
  receive({ url, method, headers, body }: BuiltRequest): Promise<Buffer> {
    const { dispatcher, signal } = this.#options;
    return new Promise<Buffer>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      this.#resolve = resolve;
      this.#reject = reject;
      signal.addEventListener("abort", this.#giveUp, { once: true });
      const request = {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers,
        ...(body !== undefined && { body }),
        // The signal is the only deadline; these would only limit silence, which a slow body can avoid.
        headersTimeout: 0,
        bodyTimeout: 0,
      };
      try {
        dispatcher.dispatch(request, this);
      } catch (error) {
        this.#fail(error as Error);
      }
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal } = this.#options;
    if (signal.aborted) {
      controller.abort(signal.reason as Error);
      return;
    }
    this.#controller = controller;
    this.isSent = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > MAX_INFORMATIONAL_ANSWERS) this.#fail(tooManyInformational());
      return;
    }
    this.status = status;
    this.headers = headers;
    const { maxBytes } = this.#options;
    if (!this.isBodiless && Number(single(headers["content-length"]) ?? 0) > maxBytes) this.#fail(overLimit(maxBytes));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes } = this.#options;
    this.#length += chunk.length;
    if (this.#length > maxBytes) this.#fail(overLimit(maxBytes));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#letGo();
    const [only] = this.#chunks;
    this.#resolve(this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#length));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#letGo();
    this.#reject(error);
  }

  /** The rest of the exchange is of no interest; its connection is not used again. */
  #fail(error: Error): void {
    this.#letGo();
    this.#reject(error);
    this.#controller?.abort(error);
  }

  #letGo(): void {
    this.#options.signal.removeEventListener("abort", this.#giveUp);
  }
}

export function hasNoBody(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

/** A header that was sent several times counts as its first. */
export function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value[0] : value;
}

export function tooManyInformational(): UnreadableAnswerError {
  return new UnreadableAnswerError(
    `more than ${MAX_INFORMATIONAL_ANSWERS} informational answers (status 1xx) came before the answer`,
  );
}
