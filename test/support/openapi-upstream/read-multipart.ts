import { Complaint } from "./decode-values.ts";

/** One part of a multipart body, as it came. */
export interface ReceivedPart {
  readonly name: string;
  readonly filename: string | undefined;
  /** In lower case, without parameters. */
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

/** RFC 7578; written here so that what one side writes is not read by its own twin. Throws Complaint. */
export function readMultipart(bytes: Buffer, contentType: string): readonly ReceivedPart[] {
  const boundary = /;\s*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) throw new Complaint("the multipart body names no boundary");
  const text = bytes.toString("latin1");
  const pieces = `\r\n${text}`.split(`\r\n--${boundary}`);
  const [preamble, ...rest] = pieces;
  const last = rest.pop();
  if (preamble !== "" || last === undefined || !/^--\s*$/.test(last)) {
    throw new Complaint("the multipart body does not begin and end with its boundary");
  }
  return rest.map(readPart);
}

function readPart(piece: string): ReceivedPart {
  const at = piece.indexOf("\r\n\r\n");
  if (!piece.startsWith("\r\n") || at < 0) throw new Complaint("a part has no head");
  const head = Buffer.from(piece.slice(2, at), "latin1").toString().split("\r\n");
  const headers = new Map(
    head.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const disposition = headers.get("content-disposition") ?? "";
  const name = /;\s*name="([^"]*)"/i.exec(disposition)?.[1];
  if (!/^form-data\b/i.test(disposition) || name === undefined) throw new Complaint("a part has no name");
  const contentType = headers.get("content-type");
  return {
    name: unescaped(name),
    filename: /;\s*filename="([^"]*)"/i.exec(disposition)?.[1],
    contentType: contentType === undefined ? undefined : (contentType.split(";", 1)[0] ?? "").trim().toLowerCase(),
    bytes: Buffer.from(piece.slice(at + 4), "latin1"),
  };
}

function unescaped(name: string): string {
  return name.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}
