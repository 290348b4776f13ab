import { describe, expect, test } from "vitest";
import { issueKey } from "../../daemon/identity/api-keys.ts";
import { createAuthenticate } from "../../daemon/identity/authenticate.ts";
import type { KeyRecord } from "../../daemon/ledger/records/identity-records.ts";
import type { IdentityStore } from "../../daemon/ledger/stores/identity-store.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { Starts } from "../storage/starts.ts";
import { tried } from "./tried.ts";

/**
 * An answer does not tell by the time it takes what exists: the same work is done whether it does or not. How long that takes
 * is measured by `bench/timing.mjs`; here is why it is the same. docs/security.md, T20.
 */

describe("a key that lets nobody in", () => {
  const issued = issueKey();
  const revoked: KeyRecord = { ...keyOf(), hash: issued.hash, revokedAt: "2026-01-01T00:00:00.000Z" };
  const expired: KeyRecord = { ...keyOf(), hash: issued.hash, expiresAt: "2026-01-01T00:00:00.000Z" };

  test.each<[string, string | undefined, KeyRecord | undefined]>([
    ["that was never issued", `Bearer ${issueKey().key}`, undefined],
    ["that was revoked", `Bearer ${issued.key}`, revoked],
    ["that has expired", `Bearer ${issued.key}`, expired],
    ["whose check digits are wrong", `Bearer ${issued.key.slice(0, -1)}_`, undefined],
    ["that is no key", "Bearer nonsense", undefined],
    ["that is not there", undefined, undefined],
  ])("%s is hashed and looked up once, and nothing else is read", async (_title, authorization, record) => {
    const reads: unknown[][] = [];
    const authenticate = createAuthenticate({
      store: recordingStore(reads, record),
      clock: { now: () => Date.parse("2026-06-01T00:00:00.000Z") },
      keyUse: { note: () => reads.push(["noted as used"]) },
    });

    const refused = authenticate({ authorization, workspaceId: undefined, isOwnClient: false });

    await expect(refused).rejects.toMatchObject({ kind: "unauthorized" });
    expect(reads).toEqual([["findKeyByHash", expect.stringMatching(/^[0-9a-f]{64}$/)]]);
  });
});

test("another workspace's run is looked for as one of the same time that nobody has, and its record is not read", async (context) => {
  const starts = new Starts();
  const disk = faultyFiles(starts.disk.files, 0, "fail");
  const store = await starts.open(disk.files, { segmentBytes: 30_000 });
  await store.commit({ line: ownerCreated(10_000_000) });
  const runIds = Array.from({ length: 100 }, (_, number) => `r${1_000 + number}`);
  for (const runId of runIds) {
    await store.commit({ line: runAccepted(runId) });
    await store.commit({ line: runDone(runId) });
  }
  const readsOf = async (workspaceId: string, runId: string) => {
    const before = disk.calls.length;
    const found = await store.findRun(workspaceId, runId);
    return { found: found?.runId, reads: disk.calls.length - before };
  };

  const work = [];
  for (const runId of runIds) {
    const own = await readsOf("w1", runId);
    work.push({ runId, own, foreign: await readsOf("w2", runId), unknown: await readsOf("w2", `${runId}x`) });
  }
  const segments = (await starts.names("log")).filter((name) => name.endsWith(".ndjson"));
  await store.close();

  expect(segments.length).toBeGreaterThan(2);
  expect(work.map(({ own }) => own.found)).toEqual(runIds);
  // After the last run of a segment nobody looks: an id of such a time was never given out.
  const differing = work.filter(({ foreign, unknown }) => foreign.reads !== unknown.reads);
  expect(differing.length).toBeLessThan(segments.length);
  for (const { own, foreign, unknown } of work) {
    expect([foreign.found, unknown.found]).toEqual([undefined, undefined]);
    expect(foreign.reads).toBeLessThan(own.reads);
  }
  tried(context, work.length, "runs of another workspace, and as many that nobody has");
});

function keyOf(): KeyRecord {
  return {
    keyId: "k1",
    workspaceId: "w1",
    owner: "u1",
    label: "key",
    hash: "",
    prefix: "mkt_live_",
    fingerprint: "f00d",
    scopes: ["*"],
    origin: "API",
    createdBy: "USER#u1",
    createdAt: "2025-01-01T00:00:00.000Z",
  } as unknown as KeyRecord;
}

/** Has one key at most, and writes down whatever is asked of it. */
function recordingStore(reads: unknown[][], key: KeyRecord | undefined): IdentityStore {
  return new Proxy({} as IdentityStore, {
    get: (_target, name) => async (argument: unknown) => {
      reads.push([name, argument]);
      return name === "findKeyByHash" ? key : [];
    },
  });
}
