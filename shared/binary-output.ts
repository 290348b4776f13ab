import { isRecord } from "./is-record.ts";

/** Bytes as they stand in an output of a run. docs/contract.md, "Bytes in an output". */
export interface BinaryOutput {
  /** As the provider says; it is not looked for in the bytes. */
  readonly contentType: string;
  /** How many there are. */
  readonly bytes: number;
  /** A suggestion of the provider: a plain name, never a path. */
  readonly filename?: string;
  readonly base64: string;
}

const MEMBERS: ReadonlySet<string> = new Set(["contentType", "bytes", "filename", "base64"]);

/** The output as bytes; undefined for one that is not. Outputs of earlier versions do not say how many bytes they have. */
export function readBinaryOutput(output: unknown): BinaryOutput | undefined {
  if (!isRecord(output) || !Object.keys(output).every((name) => MEMBERS.has(name))) return undefined;
  const { contentType, base64, filename, bytes } = output;
  if (typeof contentType !== "string" || typeof base64 !== "string" || !isBase64(base64)) return undefined;
  // Counted, since browsers read this too, and have no Buffer.
  const length = (base64.length / 4) * 3 - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);
  if (bytes !== undefined && bytes !== length) return undefined;
  return { contentType, bytes: length, ...(typeof filename === "string" && { filename }), base64 };
}

/** With padding, and nothing in it that a decoder passes over: what is written is what came. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const MOST_CHARACTERS = 120;

/**
 * The name of a file in a `Content-Disposition` header; undefined when it has none that can be used. Folders, control
 * characters and leading dots are taken away. Source: RFC 6266; docs/security.md, T7.
 */
export function suggestedName(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const told = decoded(extended) ?? plain?.[1]?.replaceAll(/\\(.)/g, "$1") ?? plain?.[2];
  const name = told
    ?.split(/[/\\]/)
    .at(-1)
    ?.replaceAll(/[\p{C}:*?"<>|]/gu, "")
    .trim()
    .slice(-MOST_CHARACTERS)
    .replace(/^[.\s\p{Surrogate}-]+/u, "");
  return name === undefined || name === "" ? undefined : name;
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
