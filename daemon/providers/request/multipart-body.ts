import { createHash } from "node:crypto";

/** One part of a multipart form. */
export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly filename?: string;
  readonly contentType?: string;
}

/**
 * A form as `multipart/form-data` (RFC 7578). Implemented here, because the client library's form data cannot set the
 * media type of a part without making it a file, and because a repeated call must send the same bytes.
 */
export function toMultipart(parts: readonly Part[]): { readonly content: Buffer; readonly contentType: string } {
  const boundary = boundaryOf(parts);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`),
    Buffer.from(part.content),
    Buffer.from("\r\n"),
  ]);
  return {
    content: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

/** Derived from the content, so that the same form gives the same bytes, and the content cannot contain it. */
function boundaryOf(parts: readonly Part[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const [head, content] = [headOf(part), Buffer.from(part.content)];
    hash.update(`${head.length} ${content.length}\n${head}\n`).update(content);
  }
  return `mkt-${hash.digest("hex").slice(0, 48)}`;
}

function headOf({ name, filename, contentType }: Part): string {
  const file = filename === undefined ? "" : `; filename="${escapeName(filename)}"`;
  const disposition = `Content-Disposition: form-data; name="${escapeName(name)}"${file}`;
  return contentType === undefined ? disposition : `${disposition}\r\nContent-Type: ${contentType}`;
}

/** As browsers do. WHATWG, "multipart/form-data encoding algorithm". */
function escapeName(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
