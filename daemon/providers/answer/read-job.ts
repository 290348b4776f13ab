import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Async } from "../../manifest/manifest.ts";
import { matches, toMessage } from "./error-rules.ts";
import {
  extract,
  type ExtractScope,
  type Extractor,
  parseExtractor,
  type PathSteps,
  readPath,
  spellPath,
} from "../../manifest/extract.ts";
import { requireParsed } from "../../manifest/request-error.ts";

/**
 * Pure readings of the asynchronous protocol: what a start answer and a poll answer mean.
 * Source: docs/manifest.md, "Jobs".
 */
export type JobState = "running" | "done" | "failed" | "stopped" | "unknown";

type AnswerScope = ExtractScope & { readonly status: number };

/** True when the start answer already is the end of the job. */
export function isDoneAtOnce(rules: Async, scope: AnswerScope): boolean {
  const { doneIf } = rules.start;
  return doneIf !== undefined && matches(doneIf, scope);
}

const MAX_ID_CHARACTERS = 1_000;

/** The vendor's id of the job; undefined when the answer has none that could be asked about. */
export function readExternalId(rules: Async, scope: AnswerScope): string | undefined {
  const id = toMessage(extract(parse(rules.start.id), scope));
  return id !== undefined && id.length <= MAX_ID_CHARACTERS ? id : undefined;
}

/** Values of an answer that are kept for later calls, as text; what is not there or no scalar is left out. */
export function readKept(
  keep: Readonly<Record<string, string | number>> | undefined,
  scope: ExtractScope,
): Record<string, string> {
  const kept = Object.entries(keep ?? {}).map(
    ([name, source]) => [name, toMessage(extract(parse(source), scope))] as const,
  );
  return Object.fromEntries(kept.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

export function readJobState(rules: Async, scope: AnswerScope): JobState {
  const { status, states } = rules.poll;
  const told = toMessage(extract(parse(status), scope));
  if (told === undefined) return "unknown";
  const has = (list: readonly unknown[] | undefined) => list?.some((state) => String(state) === told) === true;
  if (has(states.done)) return "done";
  if (has(states.failed)) return "failed";
  if (has(states.stopped)) return "stopped";
  return has(states.running) ? "running" : "unknown";
}

/** The vendor's words for a job that failed. */
export function readJobMessage(rules: Async, scope: AnswerScope): string | undefined {
  return rules.poll.message === undefined ? undefined : toMessage(extract(parse(rules.poll.message), scope));
}

/** What the provider calls the state, for people. */
export function readJobWord(rules: Async, scope: AnswerScope): string {
  return toMessage(extract(parse(rules.poll.status), scope)) ?? "unknown";
}

export function readProgress(rules: Async, scope: AnswerScope): string | number | undefined {
  if (rules.poll.progress === undefined) return undefined;
  const progress = extract(parse(rules.poll.progress), scope);
  return typeof progress === "number" && Number.isFinite(progress) ? progress : toMessage(progress);
}

/** With a growing factor and no cap of its own, a job is asked about at least so often. */
const SLOWEST_POLL_MS = 60_000;

/** How long to wait before the next poll, after so many polls. */
export function pollDelayMs({ poll }: Async, polls: number): number {
  const capMs = poll.maxEveryMs ?? Math.max(poll.everyMs, SLOWEST_POLL_MS);
  return Math.round(Math.min(capMs, poll.everyMs * poll.factor ** Math.min(polls, 1_000)));
}

const STARTED_AT = "mkt:startedAt";
const MAX_KEPT_CHARACTERS = 65_536;

/**
 * What a job keeps of its start for `start:$…` and `elapsed`, beside the author's own `keep`. The names hold a colon, so
 * no template can name them and no `keep` can clash with them.
 */
export function keepOfStart(entry: CatalogEntry, body: unknown, startedAtMs: number): Record<string, string> {
  const kept: Record<string, string> = { [STARTED_AT]: String(startedAtMs) };
  for (const steps of startPathsOf(entry)) {
    const text = JSON.stringify(readPath(body, steps));
    if (text !== undefined && text.length <= MAX_KEPT_CHARACTERS) kept[`start:${spellPath(steps)}`] = text;
  }
  return kept;
}

/** The extraction facts of a job that was started earlier, maybe by a daemon that has ended since. */
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

/** Undefined when redaction took out so much that what is left is no value. */
function parseKept(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function startPathsOf({ usage, errors, async: rules, resources }: CatalogEntry): readonly PathSteps[] {
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
}

function parse(source: string | number): Extractor {
  return requireParsed(parseExtractor(source));
}
