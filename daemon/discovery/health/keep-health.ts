import type { WorkspaceId } from "../../base/ids.ts";
import type { Clock } from "../../base/clock.ts";
import type { FinishedRun } from "./judge-run.ts";
import { evidenceOf } from "./member-runs.ts";
import type { IdentityStore } from "../../ledger/stores/identity-store.ts";
import type { Logger } from "../../base/logger.ts";
import type { RunStore, RunSummary } from "../../ledger/stores/run-store.ts";
import type { Health } from "./health.ts";
import type { HealthStore, KeptEvidence } from "./health-store.ts";
import { MAX_LONG_DAYS } from "./run-windows.ts";

const MINUTE_MS = 60_000;
/** Runs that began this long before the file was written may have ended after it. */
const LONG_RUN_MS = 10 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** At most this many runs, the newest, are read from the end of the journal. */
const MAX_READ_AGAIN = 500;
/** The same where other daemons work on the store: what they know of a week a new one learns from the runs alone. */
const MAX_READ_OF_OTHERS = 5_000;
/** Of one workspace; many share the limit. */
const SMALLEST_PAGE = 20;
/** Workspaces whose runs are read at a time. */
const PAGES_AT_ONCE = 8;
const WEEK_MS = MAX_LONG_DAYS * 24 * HOUR_MS;

export interface KeepHealthParts {
  readonly health: Health;
  readonly file: HealthStore;
  readonly store: Pick<RunStore, "listRuns"> & Pick<IdentityStore, "listWorkspaces"> & { hasRoom(): boolean };
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
  /** True: other daemons work on the store, also while this one does not run. */
  readonly isShared?: boolean;
  /** How many runs are read at a start; only tests set another number. */
  readonly mostReadAgain?: number;
  /** The interval between two writes; only tests set another one. */
  readonly writeEveryMs?: number;
}

interface WorkspacePage {
  readonly workspaceId: WorkspaceId;
  /** What was read and not taken. */
  runs: RunSummary[];
  before?: number | undefined;
  hasMore: boolean;
}

export interface KeptHealth extends AsyncDisposable {
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/**
 * Restores the health data of the daemon's last run, and saves it at most once a minute and at the end. After a crash
 * the runs that ended since are read from the journal, the newest 500 of them; an async run that took more than ten
 * minutes and ended in that last minute is not counted. Among several daemons it is so at every start, with the newest
 * 5,000 runs; one that has no file yet reads those of a week. No error in the file prevents a start.
 */
export async function keepHealth(parts: KeepHealthParts): Promise<KeptHealth> {
  const { health, file, clock, store, logger, writeEveryMs = MINUTE_MS } = parts;
  await putBack(parts);
  let written = health.revision();
  let writing: Promise<void> = Promise.resolve();

  async function write({ closed }: { readonly closed: boolean }): Promise<void> {
    const revision = health.revision();
    // On a full disk the remaining space is needed to end runs.
    if (revision === written || !store.hasRoom()) return;
    try {
      await file.write({ at: clock.now(), closed, evidence: health.evidence() });
      written = revision;
    } catch (error) {
      logger.warn({ err: error }, "the health of endpoints cannot be written; it will be tried again");
    }
  }
  const writeNext = (how: { readonly closed: boolean }) => (writing = writing.then(async () => await write(how)));
  const timer = setInterval(() => void writeNext({ closed: false }), writeEveryMs);
  timer.unref();

  async function close(): Promise<void> {
    clearInterval(timer);
    await writeNext({ closed: true });
  }
  return { close, [Symbol.asyncDispose]: close };
}

async function putBack(parts: KeepHealthParts): Promise<void> {
  const { health, clock, logger, isShared = false } = parts;
  const written = await readFile(parts);
  const endedAfter = written?.at ?? clock.now() - (isShared ? WEEK_MS : HOUR_MS);
  try {
    // A run that was in progress when the daemon was stopped is continued, and so is counted when it ends; among several
    // daemons another one may have continued and ended it.
    const begunAfter = written?.closed === true && !isShared ? endedAfter : endedAfter - LONG_RUN_MS;
    for (const one of await readAgain(parts, { begunAfter, endedAfter })) health.observe(one);
  } catch (error) {
    logger.warn({ err: error }, "runs that ended before the last crash could not be read for the health of endpoints");
  }
}

/** Undefined when there is no usable file. */
async function readFile({ health, file, logger }: KeepHealthParts): Promise<KeptEvidence | undefined> {
  try {
    const kept = await file.read();
    if (kept !== undefined) health.restore(kept.evidence);
    return kept;
  } catch (error) {
    logger.warn({ err: error }, "the health of endpoints cannot be read; it starts empty");
    return undefined;
  }
}

/** What runs said of endpoints after a time, in that order. What a run said before was observed then. */
async function readAgain(
  parts: KeepHealthParts,
  { begunAfter, endedAfter }: { readonly begunAfter: number; readonly endedAfter: number },
): Promise<readonly FinishedRun[]> {
  const { store, isShared = false } = parts;
  const most = parts.mostReadAgain ?? (isShared ? MAX_READ_OF_OTHERS : MAX_READ_AGAIN);
  const runs = await newestRuns(store, new Date(begunAfter).toISOString(), most);
  return runs
    .flatMap(evidenceOf)
    .filter(({ completedAt }) => completedAt !== undefined && Date.parse(completedAt) > endedAfter)
    .sort((a, b) => Date.parse(a.completedAt ?? "") - Date.parse(b.completedAt ?? ""));
}

/** So many of all workspaces together: none leaves the others without a turn. */
async function newestRuns(store: KeepHealthParts["store"], since: string, most: number): Promise<RunSummary[]> {
  const workspaces = await store.listWorkspaces();
  const limit = Math.min(most, Math.max(SMALLEST_PAGE, Math.ceil(most / Math.max(1, workspaces.length))));
  const pages = workspaces.map(({ workspaceId }): WorkspacePage => ({ workspaceId, runs: [], hasMore: true }));
  const readNext = async (page: WorkspacePage) => {
    while (page.runs.length === 0 && page.hasMore) {
      const { before } = page;
      const place = { limit, ...(before !== undefined && { before }) };
      const { items, next } = await store.listRuns(page.workspaceId, { since }, place);
      // Oldest first, so that the newest is taken from the end.
      page.runs = items.toReversed();
      page.before = next;
      page.hasMore = next !== undefined;
    }
  };
  const found: RunSummary[] = [];
  for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
    await Promise.all(pages.slice(from, from + PAGES_AT_ONCE).map(readNext));
  }
  let left = pages;
  while (found.length < most) {
    left = left.filter(({ runs }) => runs.length > 0);
    const [first, ...others] = left;
    if (first === undefined) break;
    const page = others.reduce((best, one) => (createdAtOf(one) > createdAtOf(best) ? one : best), first);
    const run = page.runs.pop();
    if (run !== undefined) found.push(run);
    await readNext(page);
  }
  return found;
}

function createdAtOf({ runs }: WorkspacePage): string {
  return runs.at(-1)?.createdAt ?? "";
}
