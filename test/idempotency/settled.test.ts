import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../daemon/base/clock.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { loadCatalog } from "../../daemon/catalog/catalog.ts";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import type { ProviderAnswer } from "../../daemon/providers/protocol/provider.ts";
import { createRunDriver } from "../../daemon/runs/work/run-driver.ts";
import { accept } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import { createRunQueue } from "../../daemon/runs/queue/run-queue.ts";
import { createRunService } from "../../daemon/runs/run-service.ts";
import { currentVersions } from "../support/current-versions.ts";
import { gate } from "../support/gate.ts";
import { makeAnswer } from "../support/make-answer.ts";
import { makeRun } from "../support/make-run.ts";
import { MemoryGrantStore } from "../support/memory-grant-store.ts";
import { mktHome } from "../support/mkt-home.ts";
import { openSuiteStore } from "../support/suite-store.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { testCaller } from "../support/test-caller.ts";

const neverCalled = async () => {
  throw new Error("the test did not expect this call");
};

test("a run is settled when the disk has what happened to it, not before", async () => {
  const store = await openSuiteStore();
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

async function weatherCatalog() {
  const home = mktHome();
  onTestFinished(() => home[Symbol.dispose]());
  const dir = home.writeCatalog("catalog", { weather: weatherManifest("https://weather.example") });
  return await loadCatalog({
    folders: [{ dir, trusted: true }],
    grants: new MemoryGrantStore(),
    environment: {},
    allowPrivateHosts: [],
  });
}

describe("while the end of an async run is on its way to the disk", () => {
  const report = { provider: "weather", endpoint: "/report", input: { topic: "rain" } };
  const WAIT_SECONDS = 0.2;

  /** A run that its provider has answered within the wait, on a disk that writes nothing more until it is told to. */
  async function endingRun() {
    const catalog = await weatherCatalog();
    const store = await openSuiteStore();
    const [answered, disk, asked] = [gate<ProviderAnswer>(), gate(), gate()];
    let hasBegun = false;
    const runs = createRunService({
      catalog,
      versions: currentVersions(catalog),
      store: {
        ...store,
        async commit(transaction) {
          if (hasBegun) {
            asked.open();
            await disk.opened;
          }
          hasBegun = true;
          await store.commit(transaction);
        },
      },
      provider: {
        start: async () => await answered.opened,
        poll: neverCalled,
        stop: neverCalled,
        close: async () => {},
      },
      clock: systemClock,
      newId: createIdSource(),
      unlimited: true,
      logger: pino({ level: "silent" }),
    });
    const idempotency = { key: "k", request: "r", waitSeconds: WAIT_SECONDS };
    const started = runs.start(testCaller, report, { waitSeconds: WAIT_SECONDS, idempotency });
    const { runId, createdAt } = await vi.waitUntil(async () => (await store.listOpenRuns())[0], 15_000);
    answered.open(makeAnswer());
    await asked.opened;
    return { runs, runId, started, write: disk.open, waitIsOver: () => isPast(createdAt, WAIT_SECONDS) };
  }

  test("its caller is not told that it goes on, though the wait is over by then", async () => {
    const { started, write, waitIsOver } = await endingRun();

    await vi.waitUntil(waitIsOver, 15_000);
    write();

    expect((await started).status).toBe("COMPLETED");
  });

  test("whoever asks again is told how it ended", async () => {
    const { runs, runId, started, write } = await endingRun();

    const again = runs.getSettled("w1", runId);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    write();

    expect((await again).status).toBe("COMPLETED");
    await started;
  });
});

/** With enough on top for every timer that ends with the wait. */
function isPast(createdAt: string, seconds: number): boolean {
  return Date.now() > Date.parse(createdAt) + seconds * 1_000 + 100;
}

test("a service that closes waits for a run whose first line is on its way to the disk", async () => {
  const catalog = await weatherCatalog();
  const store = await openSuiteStore();
  const [disk, asked] = [gate(), gate()];
  const runs = createRunService({
    catalog,
    versions: currentVersions(catalog),
    store: {
      ...store,
      async commit(transaction) {
        asked.open();
        await disk.opened;
        await store.commit(transaction);
      },
    },
    provider: { start: async () => makeAnswer(), poll: neverCalled, stop: neverCalled, close: async () => {} },
    clock: systemClock,
    newId: createIdSource(),
    unlimited: true,
    logger: pino({ level: "silent" }),
  });
  const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
  const started = runs.start(testCaller, now, { waitSeconds: 0 });
  await asked.opened;

  let isClosed = false;
  const closing = runs.close({ graceMs: 10_000 }).then(() => (isClosed = true));
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  const wasClosed = isClosed;
  disk.open();
  const run = await started;
  await closing;

  expect(wasClosed).toBe(false);
  expect(run.status).toBe("COMPLETED");
});
