import type { Clock } from "../../base/clock.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { dayNumber } from "../../catalog/entries/covered-days.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { IndexView } from "../index/index-view.ts";
import { type LikeUses, likeUses } from "./like-uses.ts";
import { createRecentAnswers } from "./recent-answers.ts";
import type { UseMemory, UseReader } from "./use-memory.ts";

/** Who runs something further down has not chosen it by this answer. */
const FIRST = 10;

/** Who asks, and whose runs change the order for them: those that they may read. */
export interface Asker extends UseReader {
  readonly actor: string;
}

/** The members of a finished run that learning reads. */
export type UsedRun = Pick<RunRecord, "workspaceId" | "caller" | "provider" | "endpoint" | "status" | "createdAt"> &
  Partial<Pick<RunRecord, "providerResponse">>;

/** Learns which endpoints a workspace uses after which asks. docs/discovery.md, "Learning from use". */
export interface Learning {
  /** What an ask was answered with, best first. */
  note(asker: Asker, stems: readonly string[], answered: readonly Pick<CatalogEntry, "provider" | "path">[]): void;
  /** A run that has ended: one with success is remembered with the ask that it came after, if there was one. */
  observe(run: UsedRun): void;
  /** By provider and path, the uses for asks like this one. */
  likeUses(
    reader: UseReader,
    stems: readonly string[],
    view: Pick<IndexView, "documentsWith" | "size">,
  ): ReadonlyMap<string, LikeUses>;
}

export interface LearningParts {
  readonly memory: Pick<UseMemory, "learn" | "usesOf" | "forget">;
  readonly clock: Clock;
}

export interface ForgettingLearning extends Learning {
  /** Erases what was learned, and the last answers, which would be learned from next. Returns how many uses it erased. */
  forget(reader: UseReader): number;
}

export function createLearning({ memory, clock }: LearningParts): ForgettingLearning {
  const recent = createRecentAnswers();
  return {
    note({ workspaceId, actor }, stems, answered) {
      if (stems.length === 0 || answered.length === 0) return;
      const endpoints = new Set(answered.slice(0, FIRST).map(({ provider, path }) => `${provider.provider}${path}`));
      recent.note(callerKey(workspaceId, actor), { stems, at: clock.now(), endpoints });
    },
    observe(run) {
      if (!hasSucceeded(run)) return;
      const { workspaceId, caller: actor, provider, endpoint } = run;
      const answered = recent.take(callerKey(workspaceId, actor), run, clock.now());
      if (answered === undefined) return;
      memory.learn({ workspaceId, actor, provider, endpoint, stems: answered.stems }, dayNumber(clock.now()));
    },
    likeUses: (reader, stems, view) =>
      stems.length === 0 ? new Map() : likeUses(stems, memory.usesOf(reader, dayNumber(clock.now())), view),
    forget(reader) {
      const { workspaceId, onlyActor } = reader;
      recent.forget((caller) =>
        onlyActor === undefined
          ? caller.startsWith(callerKey(workspaceId, ""))
          : caller === callerKey(workspaceId, onlyActor),
      );
      return memory.forget(reader);
    },
  };
}

/** The provider answered, and not with an error. */
function hasSucceeded({ status, providerResponse }: UsedRun): boolean {
  return status === "COMPLETED" && (providerResponse?.httpStatus ?? 200) < 400;
}

/** An id of a workspace has no line break. */
function callerKey(workspaceId: string, actor: string): string {
  return `${workspaceId}\n${actor}`;
}
