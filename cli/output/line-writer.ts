import type { Writable } from "node:stream";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/**
 * Writes to a stream that may be closed by its reader at any time (`mkt … | head`): from then on everything written is
 * dropped, quietly. Other failures of the stream, such as a full disk behind a redirect, reject.
 */
export class LineWriter {
  readonly #stream: Writable;
  #closedByReader = false;
  #failure: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", (error: Error) => {
      if (isBrokenPipe(error)) this.#closedByReader = true;
      else this.#failure ??= error;
    });
  }

  get closedByReader(): boolean {
    return this.#closedByReader;
  }

  /** Resolves when the stream has taken the text, or the bytes. */
  async write(text: string | Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#closedByReader || this.#stream.destroyed) return;
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(text, (error) => {
        if (error && !isBrokenPipe(error)) return reject(error);
        if (error) this.#closedByReader = true;
        resolve();
      });
    });
  }
}

function isBrokenPipe(error: Error): boolean {
  return ["EPIPE", "ERR_STREAM_DESTROYED"].includes(systemErrorCode(error) ?? "");
}
