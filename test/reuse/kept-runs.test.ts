import { expect, test } from "vitest";
import type { KeptRunQuery } from "../../daemon/ledger/stores/reuse-store.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import type { Plain } from "../support/branded.ts";
import { eachStore } from "../storage/each-store.ts";
import { ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { Starts } from "../storage/starts.ts";

const KEY = "a".repeat(64);
const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, "0")}:00.000Z`;
const query: KeptRunQuery = { workspaceId: "w1" as never, key: KEY, from: at(0), until: at(59) };

async function write(store: Store, runId: string, members: Partial<Plain<RunRecord>>): Promise<void> {
  await store.commit({ line: runAccepted(runId, { workspaceId: members.workspaceId ?? "w1" }) });
  const line = runDone(runId, { reuse: { key: KEY }, ...members });
  await store.commit({ line: { ...line, at: members.completedAt ?? line.at } });
}

async function findId(store: Store, change: Partial<KeptRunQuery> = {}): Promise<string | undefined> {
  return (await store.findKeptRun({ ...query, ...change }))?.runId;
}

test.each(eachStore)(
  "the newest run with the key and within the time is found, with its output ($name)",
  async (kind) => {
    await using opened = await kind.open();
    const { store } = opened;
    await store.commit({ line: ownerCreated() });
    await write(store, "r1", { completedAt: at(1) });
    await write(store, "r2", { completedAt: at(5), keyId: "k2" });
    await write(store, "r3", { completedAt: at(9), reuse: { key: "b".repeat(64) } });

    expect(await store.findKeptRun(query)).toMatchObject({ runId: "r2", output: { answer: "r2" } });
    expect(await findId(store, { until: at(4) })).toBe("r1");
    expect(await findId(store, { from: at(6) })).toBeUndefined();
    expect(await findId(store, { keyId: "k2" })).toBe("r2");
    expect(await findId(store, { keyId: "k3" })).toBeUndefined();
    expect(await findId(store, { workspaceId: "w2" as never })).toBeUndefined();
  },
);

const notFound: readonly (readonly [title: string, members: Partial<Plain<RunRecord>>])[] = [
  ["failed", { status: "FAILED" }],
  ["was not worth keeping", { reuse: undefined } as object],
  ["has the answer of another", { answeredFrom: { runId: "r0", completedAt: at(1), savedMicroDollars: 10 } }],
];

test.each(eachStore.flatMap((kind) => notFound.map(([title, members]) => ({ kind, name: kind.name, title, members }))))(
  "a run that $title is not found ($name)",
  async ({ kind, members }) => {
    await using opened = await kind.open();
    const { store } = opened;
    await store.commit({ line: ownerCreated() });
    const { reuse: _reuse, ...others } = { reuse: { key: KEY }, ...members };
    await store.commit({ line: runAccepted("r1") });
    const rec = { ...others, ...("reuse" in members ? {} : { reuse: { key: KEY } }), completedAt: at(1) };
    await store.commit({ line: runDone("r1", rec as Partial<Plain<RunRecord>>) });

    expect(await findId(store)).toBeUndefined();
  },
);

async function writeMany(store: JournalStore): Promise<void> {
  await store.commit({ line: ownerCreated(10_000_000) });
  for (let run = 0; run < 40; run += 1) {
    await write(store, `r${run}`, {
      completedAt: at(run),
      reuse: { key: run % 4 === 0 ? KEY : `${run}`.padStart(64, "0") },
      output: run === 36 ? { text: "x".repeat(70_000) } : { answer: `r${run}` },
    });
  }
}

test("it is found after a restart, in sealed segments, and with a large output", async () => {
  const starts = new Starts();
  const store = await starts.open();
  await writeMany(store);
  await store.close();

  const again = await starts.open();

  expect(await again.findKeptRun(query)).toMatchObject({ runId: "r36", output: { text: "x".repeat(70_000) } });
  expect(await findId(again, { until: at(30) })).toBe("r28");
  expect(await findId(again, { until: at(3) })).toBe("r0");
  await again.close();
});

test("a run whose output retention has removed is not found", async () => {
  const starts = new Starts();
  const store = await starts.open();
  await writeMany(store);

  await store.removeOutputs({ before: at(50), at: at(55) });
  await store.close();
  const again = await starts.open();
  await again.removeOutputs({ before: at(50), at: at(55) });

  expect(await findId(again)).toBeUndefined();
  await again.close();
});
