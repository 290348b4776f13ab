import { UnreadableAnswerError } from "./read-body.ts";

export type Media = "auto" | "json" | "text" | "base64";

/** How deep a provider's JSON may nest; deeper text breaks what reads it later. Source: security T14. */
const MAX_JSON_DEPTH = 256;

/** Bytes that are neither JSON nor text, as they appear in an output. */
export interface BinaryBody {
  readonly contentType: string;
  readonly base64: string;
}

export interface BodyFacts {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly media: Media;
  /** For an answer that is no success only its status counts: a body that is not what it says is then taken as text. */
  readonly lenient: boolean;
}

/** The body as a value: JSON, text, a BinaryBody, or null when empty. Throws UnreadableAnswerError. */
export function decodeBody({ bytes, contentType, media, lenient }: BodyFacts): unknown {
  if (bytes.length === 0) return null;
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const wanted = lenient ? "auto" : media;
  if (wanted === "base64") return toBinary(bytes, type);
  const text = () => decodeText(bytes, contentType);
  if (wanted === "text") return text();
  if (wanted === "json") return parseJson(text());
  if (isJsonType(type)) return lenient ? parseJsonOrText(text()) : parseJson(text());
  if (isTextType(type)) return /^\s*[[{]/.test(text()) && !isMarkup(type) ? parseJsonOrText(text()) : text();
  return toBinary(bytes, type);
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

function toBinary(bytes: Buffer, type: string): BinaryBody {
  return { contentType: type === "" ? "application/octet-stream" : type, base64: bytes.toString("base64") };
}

function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function parseJson(text: string): unknown {
  assertDepth(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UnreadableAnswerError("the answer is not valid JSON");
  }
}

function parseJsonOrText(text: string): unknown {
  assertDepth(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Counts nesting in the text itself, so that nothing deep is ever built. Throws UnreadableAnswerError. */
function assertDepth(text: string, maxDepth = MAX_JSON_DEPTH): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > maxDepth) {
        throw new UnreadableAnswerError(`the answer's JSON nests deeper than ${maxDepth} levels`);
      }
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
