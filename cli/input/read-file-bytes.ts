import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** Base64 of more is larger than the largest body that any service can be set to take (MKT_MAX_BODY_BYTES, 16 MiB). */
export const MOST_FILE_BYTES = 12_500_000;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder; name one file",
  EACCES: "cannot be read: permission denied",
};

/**
 * The bytes of a file, or of standard input for `-`. Reads no more than may be sent, whatever the file is (a pipe, a
 * device). Rejects with an Error that says what is wrong with the file.
 */
export async function readFileBytes(path: string, stdin: Readable): Promise<Buffer> {
  const name = path === "-" ? "standard input" : `the file ${path}`;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === "-" ? stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk as Uint8Array | string));
      bytes += chunks.at(-1)?.length ?? 0;
      if (bytes > MOST_FILE_BYTES) break;
    }
  } catch (error) {
    const code = systemErrorCode(error) ?? "";
    throw new Error(`${name} ${WHY[code] ?? `cannot be read (${code})`}.`, { cause: error });
  }
  if (bytes <= MOST_FILE_BYTES) return Buffer.concat(chunks);
  throw new Error(`${name} has more than the ${MOST_FILE_BYTES} bytes that a run can take. Give a smaller file.`);
}
