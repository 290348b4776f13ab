import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { dayNumber } from "../../catalog/entries/covered-days.ts";
import type { KeptUses, UseFile } from "./keep-uses.ts";
import { type Asker, createLearning, type ForgettingLearning, type UsedRun } from "./learning.ts";
import { createUseMemory, type Use, type UseMemory, type UseReader } from "./use-memory.ts";

/** What is learned at a moment is written together, */
const GATHER_MS = 1_000;
/** and no sooner than so long after the last write: each is of whole workspaces, and read by all daemons. */
const BETWEEN_WRITES_MS = 30_000;
const AGAIN_MS = 10_000;
const MOST_VIEWS = 2_000;
/** Of each workspace, until they are written: the newest, however long the database is away. */
const MOST_UNWRITTEN = 500;

/** What is known of the uses of a workspace. The object is another one after each change. */
export interface WorkspaceUses {
  /** How often some of them were erased. */
  readonly forgets: number;
  /** In the order in which they were last used. */
  readonly uses: readonly Use[];
}

/** The uses that several daemons learn and erase. */
export interface SharedUses {
  /** As the last request found them. */
  read(workspaceId: string): WorkspaceUses;
  /** Resolves when it is durable and seen here. Nobody else changes them meanwhile; undefined: they stay as they are. */
  change(workspaceId: string, change: (before: WorkspaceUses) => WorkspaceUses | undefined): Promise<void>;
}

export interface ShareUsesParts {
  /** False: nothing is learned, shared or used; it can be erased. */
  readonly isOn: boolean;
  readonly shared: SharedUses;
  /** What this daemon learned for itself before uses were shared. */
  readonly earlier: UseFile;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
}

interface Learned {
  readonly use: Omit<Use, "count" | "day">;
  readonly day: number;
}

/** A workspace as this daemon sees it: what all know, and what it has learned and not written yet. */
interface View {
  known: WorkspaceUses;
  unwritten: Learned[];
  memory: UseMemory;
}

/**
 * As `keepUses`, where several daemons learn: each writes what it learned within half a minute and at its end, and all rank by the
 * same uses. What one erases, none has any more, at once: the others also forget the last answers that they gave there, and what they have not written yet.
 */
export async function shareUses(parts: ShareUsesParts): Promise<KeptUses> {
  const uses = new UsesOfAll(parts);
  await uses.takeEarlier();
  return uses.kept();
}

class UsesOfAll {
  readonly #parts: ShareUsesParts;
  readonly #views = new Map<string, View>();
  readonly #learning: ForgettingLearning;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** By the clock of the process. */
  #wroteAtMs = -Infinity;
  #isWarned = false;

  constructor(parts: ShareUsesParts) {
    this.#parts = parts;
    const memory = {
      learn: (use, day) => this.#learn(use, day),
      usesOf: (reader, today) => this.#view(reader.workspaceId).memory.usesOf(reader, today),
      forget: () => 0,
    } satisfies Pick<UseMemory, "learn" | "usesOf" | "forget">;
    this.#learning = createLearning({ memory, clock: parts.clock });
  }

  kept(): KeptUses {
    const { observe, likeUses, note } = this.#learning;
    const learning = {
      likeUses,
      // An answer from before an erasure is forgotten before one from after it is noted, and before a run is learned with it.
      note: (asker: Asker, ...answer: [Parameters<typeof note>[1], Parameters<typeof note>[2]]) => {
        this.#view(asker.workspaceId);
        note(asker, ...answer);
      },
      observe: (run: UsedRun) => {
        this.#view(run.workspaceId);
        observe(run);
      },
    };
    return {
      ...(this.#parts.isOn && { learning }),
      forget: async (reader) => await this.#inTurn(() => this.#forget(reader)),
      [Symbol.asyncDispose]: async () => {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        await this.#inTurn(() => this.#writeAll());
        clearTimeout(this.#timer);
      },
    };
  }

  /** Unless any were erased there since, which may have been these. */
  async takeEarlier(): Promise<void> {
    const { isOn, shared, earlier, logger } = this.#parts;
    if (!isOn) return;
    try {
      const found = (await earlier.read()) ?? [];
      if (found.length === 0) return;
      for (const workspaceId of new Set(found.map((use) => use.workspaceId))) {
        const own = found.filter((use) => use.workspaceId === workspaceId);
        await shared.change(workspaceId, ({ forgets, uses }) =>
          forgets > 0 ? undefined : { forgets, uses: this.#together([...own, ...uses]) },
        );
      }
      await earlier.write([]);
    } catch (error) {
      logger.warn({ err: error }, "what this daemon learned from use before could not be shared");
    }
  }

  #learn(use: Learned["use"], day: number): void {
    const view = this.#view(use.workspaceId);
    view.unwritten = [...view.unwritten, { use, day }].slice(-MOST_UNWRITTEN);
    view.memory.learn(use, day);
    this.#writeIn(Math.max(GATHER_MS, this.#wroteAtMs + BETWEEN_WRITES_MS - performance.now()));
  }

  #view(workspaceId: string): View {
    const known = this.#parts.shared.read(workspaceId);
    const view = this.#views.get(workspaceId) ?? { known, unwritten: [], memory: this.#memoryOf(known, []) };
    this.#views.set(workspaceId, view);
    if (this.#views.size > MOST_VIEWS) this.#letGo(workspaceId);
    if (view.known === known) return view;
    if (view.known.forgets !== known.forgets) {
      view.unwritten = [];
      this.#learning.forget({ workspaceId });
    }
    view.known = known;
    view.memory = this.#memoryOf(known, view.unwritten);
    return view;
  }

  /** The oldest one that has nothing to write, but this one. */
  #letGo(but: string): void {
    for (const [workspaceId, { unwritten }] of this.#views) {
      if (workspaceId === but || unwritten.length > 0) continue;
      this.#views.delete(workspaceId);
      // Whether any are erased until it is seen again would not be noticed.
      this.#learning.forget({ workspaceId });
      return;
    }
  }

  #memoryOf({ uses }: WorkspaceUses, unwritten: readonly Learned[]): UseMemory {
    const memory = createUseMemory();
    memory.restore(uses);
    for (const { use, day } of unwritten) memory.learn(use, day);
    return memory;
  }

  #together(uses: readonly Use[]): readonly Use[] {
    const memory = createUseMemory();
    memory.restore(uses);
    return memory.all(dayNumber(this.#parts.clock.now()));
  }

  async #forget(reader: UseReader): Promise<number> {
    const { shared, clock } = this.#parts;
    const { workspaceId } = reader;
    let erased = 0;
    await shared.change(workspaceId, (before) => {
      const { known, unwritten } = this.#view(workspaceId);
      const memory = this.#memoryOf(before, before.forgets === known.forgets ? unwritten : []);
      erased = memory.forget(reader);
      return { forgets: before.forgets + 1, uses: memory.all(dayNumber(clock.now())) };
    });
    this.#view(workspaceId);
    return erased;
  }

  #writeIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#inTurn(() => this.#writeAll());
    }, ms).unref();
  }

  async #writeAll(): Promise<void> {
    const { logger } = this.#parts;
    this.#wroteAtMs = performance.now();
    try {
      for (const [workspaceId, { unwritten }] of this.#views) {
        if (unwritten.length > 0) await this.#write(workspaceId);
      }
      this.#isWarned = false;
    } catch (error) {
      if (!this.#isWarned)
        logger.warn({ err: error }, "what was learned from use cannot be written; it will be tried again");
      this.#isWarned = true;
      this.#writeIn(AGAIN_MS);
    }
  }

  async #write(workspaceId: string): Promise<void> {
    const { shared, clock } = this.#parts;
    let written: readonly Learned[] = [];
    await shared.change(workspaceId, (before) => {
      const { known, unwritten } = this.#view(workspaceId);
      written = unwritten;
      if (before.forgets !== known.forgets) return undefined;
      const { forgets } = before;
      return { forgets, uses: this.#memoryOf(before, unwritten).all(dayNumber(clock.now())) };
    });
    const view = this.#view(workspaceId);
    const done = new Set(written);
    view.unwritten = view.unwritten.filter((one) => !done.has(one));
    view.memory = this.#memoryOf(view.known, view.unwritten);
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#writing.then(work);
    this.#writing = turn.then(
      () => undefined,
      () => undefined,
    );
    return await turn;
  }
}
