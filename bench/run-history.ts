import { createIdSource } from "../daemon/base/new-id.ts";
import { nodeFiles } from "../daemon/storage/files.ts";
import { openJournalStore } from "../daemon/storage/journal/journal-store.ts";
import { unflushed } from "../test/support/unflushed-files.ts";
import { acceptedLine, doneLine } from "./stores.ts";

/** Runs under way at once: what a busy daemon's journal looks like. */
const AT_ONCE = 2_048;

/**
 * Adds finished runs to the data folder of a daemon that was closed, without waiting for the disk, and closes it again.
 * Resolves to some of their ids.
 */
export async function addRuns(dataDir: string, count: number, kept: number): Promise<string[]> {
  const store = await openJournalStore({
    dataDir,
    files: unflushed(nodeFiles()),
    onFatal(error) {
      throw error;
    },
  });
  const [workspace] = await store.listWorkspaces();
  const ws = workspace?.workspaceId ?? "";
  const newId = createIdSource();
  const sample: string[] = [];
  const oneOf = Math.max(1, Math.floor(count / kept));
  let begun = 0;
  const client = async () => {
    while (begun < count) {
      begun += 1;
      const runId = newId();
      if (begun % oneOf === 0) sample.push(runId);
      await store.commit({ line: ofWorkspace(acceptedLine(runId), ws) });
      await store.commit({ line: ofWorkspace(doneLine(runId), ws) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await store.close();
  return sample;
}

function ofWorkspace<Line>(line: Line, ws: string): Line {
  return JSON.parse(JSON.stringify(line).replaceAll("ws:w1:", `ws:${ws}:`).replaceAll('"w1"', JSON.stringify(ws)));
}
