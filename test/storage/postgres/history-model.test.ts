import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { effort } from "../../support/effort.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { filter, HistoryModel, listAllMovements, listAllPages, step, WORKSPACES } from "../history-model.ts";
import { openStores } from "./open-stores.ts";

/** The lines of a model, each through one of the stores in turn, many at once where they do not depend on each other. */
async function writeModel(stores: readonly PostgresStore[], steps: number, seed: number): Promise<HistoryModel> {
  const model = new HistoryModel();
  const write = async (line: HistoryModel["lines"][number], turn: number) => {
    model.take(line);
    await stores[turn % stores.length]?.commit({ line });
  };
  for (const [turn, line] of model.begin().entries()) await write(line, turn);
  for (const [turn, next] of fc.sample(step, { numRuns: steps, seed }).entries()) {
    const line = model.lineOf(next);
    if (line !== undefined) await write(line, turn);
  }
  await Promise.all(stores.map((store) => store.refresh()));
  return model;
}

describe.skipIf(!hasPostgres)(`histories in a database (${NEEDS_POSTGRES})`, () => {
  test("every filter, page and scan at every store finds what a look at all runs finds", async () => {
    await using opened = await openStores(3, { snapshotEvery: 60 });
    const model = await writeModel(opened.stores, effort(200, 3_000), 7);
    // One that begins with a snapshot, and one that reads all lines.
    const late = await opened.open();
    await opened.database.query("delete from snapshots");
    const later = await opened.open();
    const stores = [...opened.stores.slice(0, 1), late, later];

    await fc.assert(
      fc.asyncProperty(
        filter,
        fc.constantFrom(...WORKSPACES),
        fc.integer({ min: 7, max: 200 }),
        fc.constantFrom(...stores),
        async (by, workspaceId, limit, store) => {
          const expected = model.runs(workspaceId, by).map(({ runId }) => runId);
          expect((await listAllPages(store, workspaceId, by, limit)).runIds).toEqual(expected);
          const scanned = [];
          for await (const { runId } of store.scanRuns(workspaceId, by)) scanned.push(runId);
          expect(scanned).toEqual(expected);
        },
      ),
      { numRuns: effort(15, 200) },
    );
    for (const store of stores) {
      expect(new Set((await store.listOpenRuns()).map(({ runId }) => runId))).toEqual(
        new Set(model.openRuns.map(({ runId }) => runId)),
      );
      for (const workspaceId of WORKSPACES) {
        expect((await listAllMovements(store, workspaceId, 50)).map(({ t }) => t)).toEqual(
          model.movements(workspaceId).map(({ t }) => t),
        );
      }
      for (const run of model.runs("w1").slice(0, 20)) {
        expect(await store.findRun("w1", run.runId)).toMatchObject({ status: run.status, output: run.output ?? null });
      }
    }
  });
});
