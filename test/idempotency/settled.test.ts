import { pino } from "pino";
import { expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import { systemClock } from "../../daemon/base/clock.ts";
import { createRunDriver } from "../../daemon/runs/run-driver.ts";
import { accept } from "../../daemon/runs/run-lifecycle.ts";
import { createRunQueue } from "../../daemon/runs/run-queue.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { makeAnswer } from "../support/make-answer.ts";
import { makeRun } from "../support/make-run.ts";

const neverCalled = async () => {
  throw new Error("the test did not expect this call");
};

test("a run is settled when the disk has what happened to it, not before", async () => {
  const store = openMemoryStore();
  const born = accept(makeRun({ createdAt: new Date().toISOString() }));
  await store.commit({ line: born.line });
  const disk = { write: () => {}, asked: false };
  const written = new Promise<void>((resolve) => {
    disk.write = resolve;
  });
  const driver = createRunDriver({
    store: {
      findResource: async () => undefined,
      findHolder: async () => undefined,
      async commit(transaction) {
        disk.asked = true;
        await written;
        await store.commit(transaction);
      },
    },
    provider: {
      start: async () => makeAnswer(),
      poll: neverCalled,
      stop: neverCalled,
      close: async () => {},
    },
    clock: systemClock,
    logger: pino({ level: "silent" }),
    queue: createRunQueue(),
    onEnded: () => {},
  });
  const live = driver.drive(born.run, born.effect, { entry: { http: {} } as CatalogEntry, place: undefined });
  await expect.poll(() => disk.asked).toBe(true);

  const settled = live.settled();
  const before = live.current().status;
  disk.write();
  await settled;

  expect(before).toBe("RUNNING");
  expect(live.current().status).toBe("COMPLETED");
});
