import { join } from "node:path";
import { z } from "zod";
import { bookFromJson, bookToJson, withLaterMembers } from "../../book/book-json.ts";
import { takeEnded } from "../../book/resources-book.ts";
import { writeDurably } from "../../durable-file.ts";
import { removeIfThere, type Files } from "../../files.ts";
import type { ResourceRecord } from "../../../ledger/records/resource-record.ts";
import type { OpenRun } from "../../open-runs.ts";
import type { StateBefore, StoreState } from "../../store-state.ts";
import { decodeChecked, encodeChecked } from "./checked-text.ts";
import { JournalEnd } from "./segment.ts";

/*
 * A snapshot is what all lines up to the end of a segment made: the book and the runs under way. It saves reading those
 * lines again, and is never the only place of anything. Source: docs/storage.md, "Recovery" and "Indexes and snapshots".
 */

const SNAPSHOT_NAME = /^snap-\d{16}\.json$/;
const KEPT = 2;
const VERSION = 4;

const Snapshot = z.object({
  t: z.literal("snapshot"),
  /**
   * 1 and 2: made before some members of the book existed, when no line could fill them. 1 to 3: the book has resources that have
   * ended. A daemon that does not know the newest version reads the lines.
   */
  v: z.literal([1, 2, 3, VERSION]),
  end: JournalEnd,
  book: z.unknown(),
  // Records as they were written in lines.
  open: z.array(z.custom<OpenRun>((value) => typeof value === "object" && value !== null && "run" in value)),
  /** Resources that had ended, while there are indexes of earlier versions, which do not have them. */
  ended: z.array(z.custom<ResourceRecord>((value) => typeof value === "object" && value !== null)).exactOptional(),
  /** The number of the line up to which `ended` has all of them; absent where it has none. */
  endedTo: z.int().positive().exactOptional(),
});

/** Resources that had ended when a line was written, all of them; none at line 0. */
export interface EndedBefore {
  readonly resources: readonly ResourceRecord[];
  readonly to: number;
}

export const NONE_ENDED: EndedBefore = { resources: [], to: 0 };

export interface FoundSnapshot {
  readonly end: JournalEnd;
  readonly before: StateBefore;
  /** What indexes of earlier versions lack; those of lines after `to` have to have it themselves. */
  readonly ended: EndedBefore;
}

/**
 * The text of a snapshot; `end` is where the journal stands with the last durable line, `ended` what indexes of earlier versions
 * lack.
 */
export function encodeSnapshot(state: StoreState, end: JournalEnd, ended: EndedBefore = NONE_ENDED): Buffer {
  const snapshot: z.input<typeof Snapshot> = {
    t: "snapshot",
    v: VERSION,
    end,
    book: bookToJson(state.book),
    open: state.runs.list(),
    ...(ended.to > 0 && { ended: [...ended.resources], endedTo: ended.to }),
  };
  return encodeChecked(snapshot);
}

/** Undefined when it is damaged, or of another version of mkt. */
export function decodeSnapshot(bytes: Buffer): FoundSnapshot | undefined {
  const checked = decodeChecked(bytes.subarray(0, -1));
  const snapshot = typeof checked === "string" ? undefined : Snapshot.safeParse(checked.value).data;
  if (snapshot === undefined) return undefined;
  try {
    // Two books that share nothing: one of them will run ahead of the other.
    const book = snapshot.v < 3 ? withLaterMembers(snapshot.book) : snapshot.book;
    const durable = bookFromJson(book);
    const taken = bookFromJson(structuredClone(book));
    takeEnded(taken.resources);
    const inBook = takeEnded(durable.resources);
    const ended =
      snapshot.v < 4
        ? { resources: inBook, to: snapshot.end.seq }
        : { resources: snapshot.ended ?? [], to: snapshot.endedTo ?? 0 };
    return { end: snapshot.end, before: { durable, taken, openRuns: snapshot.open }, ended };
  } catch {
    return undefined;
  }
}

/** Names in the order of their numbers, newest first. */
export async function listSnapshots(files: Files, folder: string): Promise<string[]> {
  return (await files.list(folder)).filter((name) => SNAPSHOT_NAME.test(name)).reverse();
}

/** Writes a snapshot and removes all but the newest two. */
export async function writeSnapshot(files: Files, folder: string, end: JournalEnd, bytes: Buffer): Promise<void> {
  await writeDurably(files, folder, `snap-${String(end.seq).padStart(16, "0")}.json`, bytes);
  const old = (await listSnapshots(files, folder)).slice(KEPT);
  for (const name of old) await removeIfThere(files, join(folder, name));
}
