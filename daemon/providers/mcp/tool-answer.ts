import { decodeBody } from "../sending/decode-body.ts";
import { type JsonAnswer, MAX_ANSWER_VALUES } from "../sending/json-answer.ts";
import { isRecord } from "../../../shared/is-record.ts";
import type { JsonObject, RpcReply } from "./protocol.ts";

/** The result of a tool in the form of an HTTP answer: everything after this is the same for both. */
export interface ToolAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The JSON found in texts of the reply, with its notes. */
  readonly texts: readonly JsonAnswer[];
}

/** The tool ran and reports a failure: the request was understood, so the caller has to change it. */
const TOOL_FAILED = 422;

/**
 * A reply to `tools/call` as a status and a body:
 *
 *   result                     200, what `bodyOf` finds in it
 *   result that asks for input 422, since nobody is there to give it
 *   result with isError        422, the tool's words as `error.message`
 *   error -32601, -32002       404 (no such method, no such thing)
 *   error -32602, -32600       400 (arguments that do not fit)
 *   error -32020 to -32022     400 (headers, capabilities or a version that the server does not take)
 *   error -32001               504 (the server's own time was up)
 *   any other error            500
 *
 * Rejects with UnreadableAnswerError for JSON texts that nest too deep or hold too many values, all together.
 */
export async function toToolAnswer(reply: RpcReply): Promise<ToolAnswer> {
  if (reply.kind === "error") {
    const { code, message, data } = reply;
    return {
      status: STATUS_OF_ERROR[code] ?? 500,
      body: { error: { code, message, ...(data !== undefined && { data }) } },
      texts: [],
    };
  }
  const { result } = reply;
  if (result["resultType"] === "input_required") {
    const message = "The tool asks for more than its arguments, which only a person could give";
    return { status: TOOL_FAILED, body: { error: { message } }, texts: [] };
  }
  if (result["isError"] !== true) {
    const texts: JsonAnswer[] = [];
    return { status: 200, body: await bodyOf(result, texts), texts };
  }
  const words = textsOf(partsOf(result)).join("\n").trim();
  const message = words === "" ? "The tool failed without a word" : words;
  const structured = result["structuredContent"];
  const data = isRecord(structured) ? { data: structured } : {};
  return { status: TOOL_FAILED, body: { error: { message, ...data } }, texts: [] };
}

const STATUS_OF_ERROR: Readonly<Record<number, number>> = {
  [-32601]: 404,
  [-32002]: 404,
  [-32602]: 400,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
  [-32600]: 400,
  [-32001]: 504,
};

/**
 * `structuredContent` if there is some; otherwise the texts, as JSON when they are JSON (several JSON texts: a list of
 * them); otherwise the only part; otherwise all of them in order, as `{parts: […]}`. Binary parts are `{contentType,
 * base64}`, as in any output.
 */
async function bodyOf(result: JsonObject, read: JsonAnswer[]): Promise<unknown> {
  const structured = result["structuredContent"];
  if (isRecord(structured)) return structured;
  const parts = partsOf(result);
  const texts = textsOf(parts);
  if (texts.length === parts.length) return await joinTexts(texts, read);
  const values = parts.map((part) => textOf(part) ?? valueOf(part));
  return values.length === 1 ? values[0] : { parts: values };
}

function partsOf(result: JsonObject): readonly JsonObject[] {
  const content = result["content"];
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function textsOf(parts: readonly JsonObject[]): string[] {
  return parts.flatMap((part) => textOf(part) ?? []);
}

/** A text, or the text of an embedded resource. */
function textOf(part: JsonObject): string | undefined {
  const holder = part["type"] === "resource" && isRecord(part["resource"]) ? part["resource"] : part;
  return (part["type"] === "text" || holder !== part) && typeof holder["text"] === "string"
    ? holder["text"]
    : undefined;
}

async function joinTexts(texts: readonly string[], read: JsonAnswer[]): Promise<unknown> {
  if (texts.length > 1) {
    const values: unknown[] = [];
    for (const text of texts) {
      const value = await parseText(text, read);
      if (typeof value !== "object" || value === null) break;
      values.push(value);
    }
    if (values.length === texts.length) return values;
    read.length = 0;
  }
  return await parseText(texts.join("\n"), read);
}

/** The text as JSON when it is a JSON object or list; null when it is empty. */
async function parseText(text: string, read: JsonAnswer[]): Promise<unknown> {
  const maxValues = MAX_ANSWER_VALUES - read.reduce((sum, { values }) => sum + values, 0);
  const answer = await decodeBody({
    bytes: Buffer.from(text),
    contentType: "text/plain",
    media: "auto",
    lenient: false,
    limits: { maxValues },
  });
  read.push(answer);
  return answer.value;
}

function valueOf(part: JsonObject): unknown {
  if (part["type"] === "resource" && isRecord(part["resource"])) {
    const { blob, mimeType, uri } = part["resource"];
    return { ...toBinary(blob, mimeType), uri };
  }
  if (part["type"] === "image" || part["type"] === "audio") return toBinary(part["data"], part["mimeType"]);
  const { _meta: _, annotations: __, ...told } = part;
  return told;
}

function toBinary(data: unknown, mimeType: unknown): { contentType: string; base64: string } {
  return {
    contentType: typeof mimeType === "string" ? mimeType : "application/octet-stream",
    base64: typeof data === "string" ? data : "",
  };
}
