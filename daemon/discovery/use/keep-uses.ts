import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { dayNumber } from "../../catalog/entries/covered-days.ts";
import { createLearning, type Learning } from "./learning.ts";
import { createUseMemory, type Use, type UseReader } from "./use-memory.ts";

const MINUTE_MS = 60_000;

/** The file of what was learned. */
export interface UseFile {
  /** Undefined when nothing was kept yet. Rejects when the file is damaged or unreadable. */
  read(): Promise<readonly Use[] | undefined>;
  /** Resolves when it is on the disk and has replaced the previous one. */
  write(uses: readonly Use[]): Promise<void>;
}

export interface KeepUsesParts {
  /** False: the file is neither read nor written, except to erase from it, and nothing is learned or used. */
  readonly isOn: boolean;
  readonly file: UseFile;
  readonly store: { hasRoom(): boolean };
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
}

export interface KeptUses extends AsyncDisposable {
  /** Absent while learning is off. */
  readonly learning?: Learning;
  /** Returns how many uses were erased, when the file has them no more. Rejects with the disk's error. */
  forget(reader: UseReader): Promise<number>;
}

/**
 * Restores what was learned, and saves it at most once a minute and at the end. A crash loses the last minute of it, and
 * never brings back what was erased. No error in the file prevents a start.
 */
export async function keepUses({ isOn, file, store, clock, logger }: KeepUsesParts): Promise<KeptUses> {
  const memory = createUseMemory();
  const { forget, ...learning } = createLearning({ memory, clock });
  let reading: Promise<void> | undefined;
  const restored = async () => await (reading ??= putBack());
  let isDamaged = false;
  let written = memory.revision();
  let writing: Promise<void> = Promise.resolve();

  async function putBack(): Promise<void> {
    try {
      memory.restore((await file.read()) ?? []);
    } catch (error) {
      isDamaged = true;
      logger.warn({ err: error }, "what was learned from use cannot be read; it starts empty");
    }
  }

  async function writeAll(): Promise<void> {
    const revision = memory.revision();
    await file.write(memory.all(dayNumber(clock.now())));
    [written, isDamaged] = [revision, false];
  }

  async function save(): Promise<void> {
    // On a full disk the remaining space is needed to end runs.
    if (memory.revision() === written || !store.hasRoom()) return;
    try {
      await writeAll();
    } catch (error) {
      logger.warn({ err: error }, "what was learned from use cannot be written; it will be tried again");
    }
  }
  const inTurn = async (write: () => Promise<void>) => {
    const turn = writing.then(write);
    writing = turn.catch(() => undefined);
    await turn;
  };

  if (isOn) await restored();
  const timer = isOn ? setInterval(() => void inTurn(save), MINUTE_MS) : undefined;
  timer?.unref();
  return {
    ...(isOn && { learning }),
    async forget(reader) {
      await restored();
      const erased = forget(reader);
      // Also when none was erased now: an earlier erasure may not have reached the disk.
      if (memory.revision() !== written || isDamaged) await inTurn(writeAll);
      return erased;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await inTurn(save);
    },
  };
}
