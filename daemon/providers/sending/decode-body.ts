import { type BinaryOutput, suggestedName } from "../../../shared/binary-output.ts";
import { readCsv, readNdjson } from "./rows-answer.ts";
import { type JsonAnswer, type JsonLimits, readJson } from "./json-answer.ts";

export type Media = "auto" | "json" | "text" | "base64" | "csv" | "ndjson";

export interface BodyFacts {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly media: Media;
  /** Between the values of a line of CSV; a comma when left out. */
  readonly delimiter?: string;
  /** The header `Content-Disposition`. */
  readonly disposition?: string | undefined;
  /** For an unsuccessful answer only the status counts: a body that does not match its type is then read as text. */
  readonly lenient: boolean;
  /** Absent: the limits of any answer. */
  readonly limits?: JsonLimits;
}

/** The body as a value: JSON, text, rows, bytes, or null when empty. Rejects with UnreadableAnswerError. */
export async function decodeBody(facts: BodyFacts): Promise<JsonAnswer> {
  const { bytes, contentType, media, lenient, limits, delimiter = "," } = facts;
  if (bytes.length === 0) return plain(null);
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const wanted = lenient ? "auto" : media;
  const isJson = wanted === "json" || (wanted === "auto" && isJsonType(type));
  if (wanted === "base64" || !(isJson || isRows(wanted) || wanted === "text" || isTextType(type)))
    return plain(toBinary(facts, type));
  const text = decodeText(bytes, contentType);
  if (wanted === "csv") return await readCsv(text, { delimiter, maxValues: limits?.maxValues });
  if (wanted === "ndjson") return await readNdjson(text, limits);
  if (isJson) return await readJson(text, { orText: lenient && wanted === "auto", ...limits });
  if (wanted === "text" || isMarkup(type) || !/^\s*[[{]/.test(text)) return plain(text);
  return await readJson(text, { orText: true, ...limits });
}

function isRows(media: Media): boolean {
  return media === "csv" || media === "ndjson";
}

function plain(value: unknown): JsonAnswer {
  return { value, values: 1, notes: [] };
}

function isJsonType(type: string): boolean {
  return /^[a-z]+\/(?:.*\+)?json$/.test(type) || type === "application/problem+json";
}

function isTextType(type: string): boolean {
  return (
    type === "" ||
    type.startsWith("text/") ||
    /[/+](?:xml|yaml|csv|javascript|ndjson|x-ndjson|graphql)$/.test(type) ||
    type === "application/x-www-form-urlencoded"
  );
}

function isMarkup(type: string): boolean {
  return /xml|html|csv|yaml|ndjson/.test(type);
}

function toBinary({ bytes, disposition }: BodyFacts, type: string): BinaryOutput {
  const filename = suggestedName(disposition);
  return {
    contentType: type === "" ? "application/octet-stream" : type,
    bytes: bytes.length,
    ...(filename !== undefined && { filename }),
    base64: bytes.toString("base64"),
  };
}

function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
