import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Async } from "../../manifest/manifest.ts";
import { matches, toMessage } from "./error-rules.ts";
import { oncePer } from "../../base/once-per.ts";
import {
  extract,
  type ExtractScope,
  type Extractor,
  parseExtractor,
  type PathSteps,
  readPath,
  spellPath,
} from "../../manifest/extract.ts";
import { compileExtractor, compiledSources } from "./compiled-sources.ts";

/**
 * Pure functions that read the asynchronous protocol: what a start answer and a poll answer mean. Source:
 * docs/manifest.md, "Jobs".
 */
export type JobState = "running" | "done" | "failed" | "stopped" | "unknown";

/** The extractors for a job's id and state. */
interface CompiledJob {
  readonly id: Extractor;
  readonly status: Extractor;
  readonly message: Extractor | undefined;
  readonly progress: Extractor | undefined;
}

const compiledJob = oncePer(({ start, poll }: Async): CompiledJob => {
  const { status, message, progress } = poll;
  return {
    id: compileExtractor(start.id),
    status: compileExtractor(status),
    message: message === undefined ? undefined : compileExtractor(message),
    progress: progress === undefined ? undefined : compileExtractor(progress),
  };
});

type AnswerScope = ExtractScope & { readonly status: number };

/** True when the start answer is already the end of the job. */
export function isDoneAtOnce(rules: Async, scope: AnswerScope): boolean {
  const { doneIf } = rules.start;
  return doneIf !== undefined && matches(doneIf, scope);
}

const MAX_ID_CHARACTERS = 1_000;

/** The vendor's id of the job; undefined when the answer has no usable one. */
export function readExternalId(rules: Async, scope: AnswerScope): string | undefined {
  const id = toMessage(extract(compiledJob(rules).id, scope));
  return id !== undefined && id.length <= MAX_ID_CHARACTERS ? id : undefined;
}

/** Values of an answer that are kept for later calls, as text; missing ones and non-scalars are left out. */
export function readKept(
  keep: Readonly<Record<string, string | number>> | undefined,
  scope: ExtractScope,
): Record<string, string> {
  const kept = compiledSources(keep ?? {}).map(([name, from]) => [name, toMessage(extract(from, scope))] as const);
  return Object.fromEntries(kept.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

export function readJobState(rules: Async, scope: AnswerScope): JobState {
  const { states } = rules.poll;
  const told = toMessage(extract(compiledJob(rules).status, scope));
  if (told === undefined) return "unknown";
  const has = (list: readonly unknown[] | undefined) => list?.some((state) => String(state) === told) === true;
  if (has(states.done)) return "done";
  if (has(states.failed)) return "failed";
  if (has(states.stopped)) return "stopped";
  return has(states.running) ? "running" : "unknown";
}

/** The vendor's message for a job that failed. */
export function readJobMessage(rules: Async, scope: AnswerScope): string | undefined {
  const { message } = compiledJob(rules);
  return message === undefined ? undefined : toMessage(extract(message, scope));
}

/** The provider's name for the state, for people. */
export function readJobWord(rules: Async, scope: AnswerScope): string {
  return toMessage(extract(compiledJob(rules).status, scope)) ?? "unknown";
}

export function readProgress(rules: Async, scope: AnswerScope): string | number | undefined {
  const { progress } = compiledJob(rules);
  if (progress === undefined) return undefined;
  const told = extract(progress, scope);
  return typeof told === "number" && Number.isFinite(told) ? told : toMessage(told);
}

/** With a growing factor and no maximum of its own, a job is polled at least this often. */
const SLOWEST_POLL_MS = 60_000;

/** The delay before the next poll, after this many polls. */
export function pollDelayMs({ poll }: Async, polls: number): number {
  const capMs = poll.maxEveryMs ?? Math.max(poll.everyMs, SLOWEST_POLL_MS);
  return Math.round(Math.min(capMs, poll.everyMs * poll.factor ** Math.min(polls, 1_000)));
}

const STARTED_AT = "mkt:startedAt";
const MAX_KEPT_CHARACTERS = 65_536;

/**
 * What a job keeps of its start for `start:$…` and `elapsed`, beside the author's own `keep`. The names contain a
 * colon, so no template can refer to them and no `keep` can clash with them.
 */
export function keepOfStart(entry: CatalogEntry, body: unknown, startedAtMs: number): Record<string, string> {
  const kept: Record<string, string> = { [STARTED_AT]: String(startedAtMs) };
  for (const steps of startPathsOf(entry)) {
    const text = JSON.stringify(readPath(body, steps));
    if (text !== undefined && text.length <= MAX_KEPT_CHARACTERS) kept[`start:${spellPath(steps)}`] = text;
  }
  return kept;
}

/** The extraction facts of a job that was started earlier, possibly by a previous daemon process. */
export function factsOfJob(state: Readonly<Record<string, string>>, nowMs: number): ExtractScope {
  const startedAtMs = Number(state[STARTED_AT] ?? NaN);
  return {
    state,
    ...(!Number.isNaN(startedAtMs) && { elapsedMs: Math.max(0, nowMs - startedAtMs) }),
    readStart(steps) {
      const text = state[`start:${spellPath(steps)}`];
      return text === undefined ? undefined : parseKept(text);
    },
  };
}

/** Undefined when redaction has made the value invalid. */
function parseKept(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The paths of the start answer that extractors of the endpoint read. */
const startPathsOf = oncePer(({ usage, errors, async: rules, resources }: CatalogEntry): readonly PathSteps[] => {
  const poll = rules?.poll;
  const pages = rules?.result?.pages;
  const made = resources?.provisions;
  const sources = [
    usage.count,
    usage.units,
    usage.cost?.from,
    poll?.status,
    poll?.message,
    poll?.progress,
    ...Object.values(poll?.keep ?? {}),
    pages?.items,
    pages?.cursor,
    made?.id,
    made?.identifier,
    ...Object.values(made?.data ?? {}),
    ...errors.flatMap(({ when, as }) => [...Object.keys(when.match ?? {}), ...(when.missing ?? []), as.message]),
  ];
  return sources.flatMap((source) => {
    const parsed = source === undefined ? undefined : parseExtractor(source);
    return parsed?.ok === true && parsed.value.kind === "start" ? [parsed.value.steps] : [];
  });
});
