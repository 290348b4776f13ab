import { dirname, join } from "node:path";
import { removeIfThere, type Files } from "../storage/files.ts";
import { recoverJournal } from "../storage/journal/segments/recovery.ts";
import { indexName } from "../storage/journal/segments/segment.ts";
import { buildIndex, writeIndex } from "../storage/journal/indexes/segment-index.ts";
import { encodeSnapshot, writeSnapshot } from "../storage/journal/segments/snapshot.ts";
import type { JournalCheck } from "./check-journal.ts";
import type { Finding, Mend } from "./finding.ts";

/** Damage that no repair can undo: then nothing is changed, because a person has to decide about the whole. */
export function needsPerson({ check, kind, mend }: Finding): boolean {
  return kind === "damage" && mend === undefined && ["journal", "ledger", "runs", "idempotency"].includes(check);
}

/** Describes in words what a repair does. */
export function mendWords(mend: Mend): string {
  switch (mend.kind) {
    case "cut":
      return "cut the journal after its last whole line";
    case "index":
      return `make ${indexName(mend.span.segment.name)} from its segment`;
    case "remove":
      return `remove ${mend.file}`;
  }
}

/**
 * Repairs everything that can be repaired, in an order that can be repeated after a crash midway; returns what was
 * done. Removed snapshots are made again if all lines could be read.
 */
export async function repair(
  files: Files,
  dataDir: string,
  findings: readonly Finding[],
  { ledger, read }: JournalCheck,
): Promise<string[]> {
  const folder = join(dataDir, "log");
  const mends = findings.flatMap(({ mend }) => (mend === undefined ? [] : [mend]));
  const done: string[] = [];
  for (const mend of mends) {
    if (mend.kind !== "remove") continue;
    await removeIfThere(files, join(dataDir, mend.file));
    await files.syncDirectory(dirname(join(dataDir, mend.file)));
    done.push(mendWords(mend));
  }
  const cut = mends.find(({ kind }) => kind === "cut");
  const last = read?.segments.at(-1);
  if (cut !== undefined) {
    // The index of the last segment may contain lines that are given up.
    if (last !== undefined) await removeIfThere(files, join(folder, indexName(last.name)));
    await recoverJournal(files, folder, { onLine: () => undefined });
    await files.syncDirectory(folder);
    done.push(mendWords(cut));
  }
  for (const mend of mends) {
    if (mend.kind !== "index" || (cut !== undefined && mend.span.segment.name === last?.name)) continue;
    await writeIndex(files, folder, await buildIndex(files, folder, mend.span));
    done.push(mendWords(mend));
  }
  if (read !== undefined && done.some((words) => words.startsWith("remove state/"))) {
    await writeSnapshot(files, join(dataDir, "state"), read.end, encodeSnapshot(ledger.state, read.end));
    done.push(`make a snapshot of line ${read.end.seq}`);
  }
  return done;
}
