import { type Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { systemErrorCode } from "../../../shared/system-error-code.ts";

/** An answer arrived but cannot be used: over a limit, or not decodable. */
export class UnreadableAnswerError extends Error {
  override readonly name = "UnreadableAnswerError";
}

/** Only its size was wrong. */
export class TooLargeError extends UnreadableAnswerError {}

/**
 * Reads a whole body, decoding at most one content encoding; both the bytes on the wire and the decoded bytes are
 * limited while they arrive. Throws UnreadableAnswerError over the limit or when not decodable; connection errors are
 * passed on. Source: docs/security.md, T10.
 */
export async function readBody(
  body: Readable,
  { encoding, maxBytes }: { readonly encoding: string | undefined; readonly maxBytes: number },
): Promise<Buffer> {
  const decoder = decoderFor(encoding);
  const chunks: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of limited(source, maxBytes)) chunks.push(chunk);
  };
  if (decoder === undefined) {
    await collect(body);
  } else {
    try {
      await pipeline(body, (source: AsyncIterable<Buffer>) => limited(source, maxBytes), decoder, collect);
    } catch (error) {
      if (!isDecodingError(error)) throw error;
      throw new UnreadableAnswerError(`the answer is not valid ${encoding} data`);
    }
  }
  return Buffer.concat(chunks);
}

/** Passes on what is within the limit; throws UnreadableAnswerError beyond it. */
export async function* limited(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw overLimit(maxBytes);
    yield chunk;
  }
}

export function overLimit(maxBytes: number): TooLargeError {
  return new TooLargeError(`the answer is larger than the ${maxBytes} bytes that this endpoint allows`);
}

function decoderFor(encoding: string | undefined): Transform | undefined {
  const names = (encoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const [name] = names;
  if (names.length > 1) throw new UnreadableAnswerError("the answer is encoded more than once, which is not accepted");
  switch (name) {
    case undefined:
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new UnreadableAnswerError(
        `the answer has the content encoding ${JSON.stringify(name)}, which is not known`,
      );
  }
}

function isDecodingError(error: unknown): boolean {
  return /^(Z_|ERR__ERROR_|ERR_BROTLI|ERR_.*DECOD|ERR_PADDING|BROTLI)/.test(systemErrorCode(error) ?? "");
}
