import { createInterface } from "node:readline";
import { nodeFiles } from "../../daemon/storage/files.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { DataFolderInUse } from "../../daemon/storage/storage-errors.ts";
import { ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { unflushed } from "../support/unflushed-files.ts";

/*
 * A process that holds a store, for tests that start many and kill them. Arguments: data folder, and "hold", "load" or
 * "load-unflushed", which never asks the disk to flush. It writes one line of JSON per event on stdout: {"opened"} or {"inUse"}, then {"done"} for each acknowledged run.
 */

function say(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

async function main(dataDir: string, mode: string): Promise<void> {
  const store = await openJournalStore({
    dataDir,
    files: mode === "load-unflushed" ? unflushed(nodeFiles()) : nodeFiles(),
    onFatal: (error) => say({ fatal: error.message }),
    segmentBytes: 200_000,
  });
  say({ opened: process.pid });
  if (mode === "hold") return void createInterface(process.stdin).once("close", () => process.exit());
  if ((await store.findUser("u1")) === undefined) await store.commit({ line: ownerCreated(0) });
  const client = async (name: number) => {
    for (let run = 0; ; run += 1) {
      const runId = `${process.pid}-${name}-${run}`;
      await store.commit({ line: runAccepted(runId) });
      await store.commit({ line: runDone(runId) });
      say({ done: runId });
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, name) => client(name)));
}

const [dataDir = "", mode = "hold"] = process.argv.slice(2);
main(dataDir, mode).catch((error: unknown) => {
  if (!(error instanceof DataFolderInUse)) throw error;
  say({ inUse: error.pid ?? null });
});
