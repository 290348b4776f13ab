import { type BinaryOutput, readBinaryOutput } from "../../shared/binary-output.ts";

/** Ends of names by type, for bytes without a name; what is not here ends in `.bin`. */
const ENDINGS: Readonly<Record<string, string>> = {
  "application/gzip": "gz",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/tiff": "tif",
  "image/webp": "webp",
  "text/csv": "csv",
  "text/plain": "txt",
  "video/mp4": "mp4",
};

export interface OutputFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly read: () => Uint8Array<ArrayBuffer>;
}

/** The file that an output is; undefined for one that is data. `plainName` has no end. */
export function fileOf(output: unknown, plainName: string): OutputFile | undefined {
  const found = readBinaryOutput(output);
  if (found === undefined) return undefined;
  const type = found.contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  return {
    name: found.filename ?? `${plainName}.${ENDINGS[type] ?? "bin"}`,
    contentType: found.contentType,
    bytes: found.bytes,
    read: () => bytesOf(found),
  };
}

function bytesOf({ base64 }: BinaryOutput): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
