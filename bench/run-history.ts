import { createIdSource } from "../daemon/base/new-id.ts";
import { nodeFiles } from "../daemon/storage/files.ts";
import { openJournalStore } from "../daemon/storage/journal/journal-store.ts";
import { unflushed } from "../test/support/unflushed-files.ts";
import type { RunRecord } from "../daemon/ledger/records/run-record.ts";
import type { Plain } from "../test/support/branded.ts";
import { acceptedLine, doneLine } from "./stores.ts";

/** Runs under way at once: what a busy daemon's journal looks like. */
const AT_ONCE = 2_048;
/** They were made over this time, the last of them just now, */
const MADE_OVER_MS = 28 * 86_400_000;
/** at so many endpoints and by so many keys. */
const ENDPOINTS = 12;
const KEYS = 5;
/** One of so many failed. */
const FAILED_OF = 50;

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
  const beginMs = Date.now() - MADE_OVER_MS;
  let begun = 0;
  const client = async () => {
    while (begun < count) {
      begun += 1;
      const runId = newId();
      if (begun % oneOf === 0) sample.push(runId);
      const facts = factsOf(begun, new Date(beginMs + (MADE_OVER_MS / count) * begun).toISOString());
      await store.commit({ line: ofWorkspace(acceptedLine(runId, facts), ws) });
      const status = begun % FAILED_OF === 0 ? ("FAILED" as const) : ("COMPLETED" as const);
      await store.commit({ line: ofWorkspace(doneLine(runId, { ...facts, status }), ws) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await store.close();
  return sample;
}

function factsOf(number: number, createdAt: string): Partial<Plain<RunRecord>> {
  const endpoint = number % ENDPOINTS;
  const key = `bench-${number % KEYS}`;
  return {
    provider: `provider-${endpoint % 4}`,
    endpoint: `/endpoint-${endpoint}`,
    keyId: key,
    keyLabel: key,
    tags: { team: `team-${number % 3}` },
    createdAt,
    startedAt: createdAt,
    completedAt: createdAt,
  };
}

function ofWorkspace<Line>(line: Line, ws: string): Line {
  return JSON.parse(JSON.stringify(line).replaceAll("ws:w1:", `ws:${ws}:`).replaceAll('"w1"', JSON.stringify(ws)));
}
