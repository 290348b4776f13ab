import type { FinishedRun } from "../health/judge-run.ts";

const MINUTE_MS = 60_000;
/** A run that begins later has nothing to do with the answer. */
const RUN_WITHIN_MS = 10 * MINUTE_MS;
/** Runs that began in time and take longer than this teach nothing. */
const KEPT_MS = 60 * MINUTE_MS;
const MAX_OF_CALLER = 20;
/** The callers who asked longest ago are forgotten beyond it. */
const MAX_CALLERS = 5_000;

/** What was answered to an ask. */
export interface Answered {
  readonly stems: readonly string[];
  /** When it was answered, milliseconds since the epoch. */
  readonly at: number;
  /** Provider and path of the first ones; one that was run since is taken out, so that an ask counts once for it. */
  readonly endpoints: Set<string>;
}

/** The last answers of each caller, in memory alone. */
export interface RecentAnswers {
  note(caller: string, answered: Answered): void;
  /** The newest answer before a run that has its endpoint, which is taken out of it. */
  take(
    caller: string,
    run: Pick<FinishedRun, "provider" | "endpoint" | "createdAt">,
    now: number,
  ): Answered | undefined;
  /** Forgets those of all callers for whom it is true. */
  forget(isForgotten: (caller: string) => boolean): void;
}

export function createRecentAnswers(): RecentAnswers {
  const byCaller = new Map<string, readonly Answered[]>();

  function keep(caller: string, answers: readonly Answered[]): void {
    byCaller.delete(caller);
    if (answers.length > 0) byCaller.set(caller, answers);
    const [oldest] = byCaller.keys();
    if (byCaller.size > MAX_CALLERS && oldest !== undefined) byCaller.delete(oldest);
  }

  /** Also without those that were answered after now: the clock was set back. */
  const keptOf = (caller: string, now: number) =>
    (byCaller.get(caller) ?? []).filter(({ at }) => at <= now && now - at <= KEPT_MS);

  return {
    note(caller, answered) {
      keep(caller, [...keptOf(caller, answered.at), answered].slice(-MAX_OF_CALLER));
    },
    take(caller, { provider, endpoint, createdAt }, now) {
      const begun = Date.parse(createdAt);
      const key = `${provider}${endpoint}`;
      const found = keptOf(caller, now).findLast(
        ({ at, endpoints }) => at <= begun && begun - at <= RUN_WITHIN_MS && endpoints.has(key),
      );
      found?.endpoints.delete(key);
      return found;
    },
    forget(isForgotten) {
      for (const caller of byCaller.keys()) if (isForgotten(caller)) byCaller.delete(caller);
    },
  };
}
