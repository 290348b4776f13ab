import type { Line } from "../../ledger/transaction/transaction.ts";
import type { Store } from "../../storage/store.ts";
import { type Summary, SumUp } from "./sum-up.ts";
import type { WholeLines } from "./whole-lines.ts";

/** So many lines are under way, for a store to write together. */
const UNDER_WAY = 2_000;
/** Characters of an output from which its line is written alone: a folder writes its file first. */
const ALONE = 16_384;

/** The target holds something else than the beginning of the source. Nothing was changed. */
export class TargetDiffers extends Error {
  override readonly name = "TargetDiffers";
}

export interface CopyParts {
  readonly source: () => WholeLines;
  readonly target: () => WholeLines;
  readonly store: Pick<Store, "commit">;
  /** Lines that the target has already, from a move that was interrupted. */
  readonly already: number;
  readonly onProgress: (lines: number) => void;
  /** Called when all is written, before it is compared. */
  readonly onWritten?: () => Promise<void>;
}

/**
 * Writes the lines of the source that the target has not yet, through the rules that they were written by, and reads both again.
 * May be killed anywhere and be called again. Rejects with `TargetDiffers`.
 */
export async function copyLines(parts: CopyParts): Promise<Summary> {
  const { source, target, store, already, onProgress, onWritten } = parts;
  let n = 0;
  let underWay: Promise<void>[] = [];
  const settle = async () => {
    await Promise.all(underWay);
    underWay = [];
    onProgress(n);
  };
  try {
    for await (const line of source()) {
      n += 1;
      if (n <= already) continue;
      const isLarge = outputLength(line) > ALONE;
      if (isLarge) await settle();
      const writing = store.commit({ line });
      // Told by `settle`; a failure before it must not end the process.
      writing.catch(() => undefined);
      underWay.push(writing);
      if (isLarge || underWay.length >= UNDER_WAY) await settle();
    }
  } finally {
    await settle();
  }
  await onWritten?.();
  return await compareAll(source(), target());
}

/**
 * The number of lines that the target has already, which is not the number of its newest one: files number the beginnings of
 * segments too. Rejects with `TargetDiffers` unless they are the beginning of the source.
 */
export async function compareBeginning({ source, target }: Pick<CopyParts, "source" | "target">): Promise<number> {
  const lines = source()[Symbol.asyncIterator]();
  let n = 0;
  try {
    for await (const line of target()) {
      n += 1;
      const { value, done } = await lines.next();
      if (done === true || JSON.stringify(value) !== JSON.stringify(line)) {
        throw new TargetDiffers(
          `The target has lines already, and they are not the beginning of what is moved: line ${n} differs. Name an empty one`,
        );
      }
    }
    return n;
  } finally {
    await lines.return?.(undefined);
  }
}

async function compareAll(source: WholeLines, target: WholeLines): Promise<Summary> {
  const [from, to] = [await summaryOf(source), await summaryOf(target)];
  if (JSON.stringify(from) === JSON.stringify(to)) return to;
  throw new TargetDiffers(
    `What was written is not what was read: ${JSON.stringify(from)} became ${JSON.stringify(to)}. Do not use the target, and report this`,
  );
}

async function summaryOf(lines: WholeLines): Promise<Summary> {
  const sum = new SumUp();
  for await (const line of lines) sum.add(line);
  return sum.end();
}

function outputLength(line: Line): number {
  if (line.t !== "run.done") return 0;
  return JSON.stringify(line.rec.output ?? null).length;
}
