import { readBinaryOutput } from "../../shared/binary-output.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { type Extractor, parseExtractor, type PathSteps, readPath } from "../manifest/extract.ts";
import type { Async, Example, RecordedAnswer } from "../manifest/manifest.ts";
import type { WireAnswer } from "./arrival/stand-in.ts";

/** The answers of the stand-in in one example. */
export interface Recording {
  /** In the order of the calls. */
  readonly answers: readonly RecordedAnswer[];
  /** The last answer is repeated, and no answer has to be requested. */
  readonly repeats: boolean;
}

/** The recording of an example; undefined when it has none, or when no job can be simulated around its `response`. */
export function recordingOf(entry: Pick<CatalogEntry, "async">, example: Example): Recording | undefined {
  if (example.responses !== undefined) return { answers: example.responses, repeats: false };
  if (example.response === undefined) return undefined;
  if (entry.async === undefined || example.response.status >= 300) {
    return { answers: [example.response], repeats: true };
  }
  const answers = playJob(entry.async, example.response);
  return answers === undefined ? undefined : { answers, repeats: true };
}

type MutableJson = Record<string | number, unknown>;

const JOB_ID = "rehearsed-job";

/**
 * Simulates the start and poll of a job, as its protocol requires, around a single recorded result. Undefined when the
 * protocol reads them from anything other than bodies and headers.
 */
function playJob(rules: Async, result: RecordedAnswer): readonly RecordedAnswer[] | undefined {
  const [done] = rules.poll.states.done;
  const start = playAnswer([[rules.start.id, JOB_ID], ...keptValues(rules.start.keep)]);
  const told: Placed[] = [[rules.poll.status, done], ...keptValues(rules.poll.keep)];
  if (rules.result === undefined) {
    const last = playAnswer(told, result);
    return start === undefined || last === undefined ? undefined : [start, last];
  }
  const poll = playAnswer(told);
  return start === undefined || poll === undefined ? undefined : [start, poll, onlyPage(rules.result, result)];
}

/** A single recorded result has no further pages, even if it refers to one. */
function onlyPage({ pages }: NonNullable<Async["result"]>, result: RecordedAnswer): RecordedAnswer {
  const source = pages?.cursor ?? pages?.next;
  const cursor = source === undefined ? undefined : parseExtractor(source);
  if (cursor?.ok !== true || cursor.value.kind !== "path") return result;
  if (readPath(result.body, cursor.value.steps) === undefined) return result;
  return { ...result, body: withPlaced(structuredClone(result.body), cursor.value.steps, null) };
}

type Placed = readonly [source: string | number, value: unknown];

function keptValues(keep: Readonly<Record<string, string | number>> = {}): Placed[] {
  return Object.entries(keep).map(([name, source]) => [source, `rehearsed-${name}`]);
}

function playAnswer(placed: readonly Placed[], onto?: RecordedAnswer): RecordedAnswer | undefined {
  const headers: Record<string, string> = { ...onto?.headers };
  let body: unknown = structuredClone(onto?.body ?? {});
  for (const [source, value] of placed) {
    const parsed = parseExtractor(source);
    if (!parsed.ok || !isPlayable(parsed.value)) return undefined;
    if (parsed.value.kind === "path") body = withPlaced(body, parsed.value.steps, value);
    else if (parsed.value.kind === "header") headers[parsed.value.name] = String(value);
  }
  return { status: onto?.status ?? 200, headers, body };
}

/** Values from elsewhere than the answer (the start, the input) need not be simulated. */
function isPlayable({ kind }: Extractor): boolean {
  return kind !== "status" && kind !== "elapsed";
}

/** The value with another one at a place, which is created if it does not exist. */
function withPlaced(body: unknown, steps: PathSteps, value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const holder = (typeof body === "object" && body !== null ? body : typeof step === "number" ? [] : {}) as MutableJson;
  holder[step] = withPlaced(holder[step], rest, value);
  return holder;
}

export interface WireFacts {
  readonly media: CatalogEntry["output"]["media"];
  /** Headers that specify a delay, in lower case: a rehearsal does not wait. */
  readonly waitHeaders: readonly string[];
  /** Replaces the provider's own addresses by the stand-in's. */
  readonly readdress: (text: string) => string;
}

/** Headers of the connection on which the answer was recorded. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);

/** A recorded answer in the form in which it is sent. */
export function toWire(answer: RecordedAnswer, { media, waitHeaders, readdress }: WireFacts): WireAnswer {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    const lower = name.toLowerCase();
    if (OF_THE_CONNECTION.has(lower)) continue;
    headers[lower] = waitHeaders.includes(lower) ? "0" : readdress(value);
  }
  const { bytes, type } = toBytes(answer.body, { media, declared: headers["content-type"], readdress });
  // A text was recorded as characters, whatever its original encoding.
  headers["content-type"] = (headers["content-type"] ?? type).replace(/charset\s*=\s*[^\s;]+/i, "charset=utf-8");
  if (bytes.length === 0) delete headers["content-type"];
  return { status: answer.status, headers, bytes };
}

function toBytes(
  body: unknown,
  {
    media,
    declared = "",
    readdress,
  }: Pick<WireFacts, "media" | "readdress"> & { readonly declared: string | undefined },
): { readonly bytes: Buffer; readonly type: string } {
  if (body === undefined) return { bytes: Buffer.alloc(0), type: "" };
  const binary = readBinaryOutput(body);
  if (binary !== undefined) return { bytes: Buffer.from(binary.base64, "base64"), type: binary.contentType };
  if (typeof body === "string") {
    if (media === "base64") return { bytes: Buffer.from(body, "base64"), type: "application/octet-stream" };
    const isJson = media === "json" || /json/i.test(declared);
    const text = isJson && !parses(body) ? JSON.stringify(body) : body;
    return { bytes: Buffer.from(readdress(text)), type: isJson ? "application/json" : "text/plain; charset=utf-8" };
  }
  return { bytes: Buffer.from(readdress(JSON.stringify(body))), type: "application/json" };
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
