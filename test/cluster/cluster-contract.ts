import { pino } from "pino";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../daemon/base/clock.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { type Catalog, loadCatalog } from "../../daemon/catalog/catalog.ts";
import { createIdempotency } from "../../daemon/idempotency/idempotency.ts";
import { reply } from "../../daemon/http/routes/route.ts";
import { createAnswerOfRun } from "../../daemon/runs/answer-of-run.ts";
import { createRunService, type RunService } from "../../daemon/runs/run-service.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { ApiError } from "../../shared/errors.ts";
import { answerOf, scriptedJob, ScriptedProvider } from "../faults/scripted-provider.ts";
import { currentVersions } from "../support/current-versions.ts";
import { MemoryGrantStore } from "../support/memory-grant-store.ts";
import { mktHome } from "../support/mkt-home.ts";
import type { LogDaemon } from "../support/shared-log.ts";
import { ownerCreated } from "../storage/lines.ts";
import { testCaller } from "../support/test-caller.ts";

let catalog: Catalog;

function makeCatalog(): void {
  beforeAll(async () => {
    const home = mktHome();
    const price = { type: "PER_CALL", amount: 0.01 };
    const sync = { request: { method: "POST", path: "/sync" }, price };
    const endpoints = {
      "/sync": sync,
      "/narrow": { ...sync, http: { rateLimit: { concurrency: 2 } } },
      "/slow": { ...sync, http: { rateLimit: { requests: 3, perMs: 60_000 } } },
      "/kept": { ...sync, idempotent: true, reuse: { maxAgeSeconds: 3_600 } },
      "/async": {
        request: { method: "POST", path: "/async" },
        price,
        async: {
          start: { id: "$.id" },
          poll: { method: "GET", path: "/jobs/${run.externalId}", status: "$.status", states: { done: ["done"] } },
          stop: { method: "DELETE", path: "/jobs/${run.externalId}" },
        },
      },
    };
    const dir = home.writeCatalog("catalog", { shop: { http: { baseUrl: "https://shop.example" }, endpoints } });
    const folders = [{ dir, trusted: true }];
    catalog = await loadCatalog({ folders, grants: new MemoryGrantStore(), environment: {}, allowPrivateHosts: [] });
    expect(catalog.problems()).toEqual([]);
    return () => home[Symbol.dispose]();
  });
}

interface Member extends LogDaemon {
  readonly runs: RunService;
}

const request = (endpoint: string, maxAge?: number) => ({
  provider: "shop",
  endpoint,
  ...(maxAge !== undefined && { maxAge }),
});

async function until(holds: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(holds()).toBe(true), { timeout: 10_000, interval: 2 });
}

/** What several daemons on one log keep together; the same on every log. */
export interface OpenLog {
  open(daemonId: string): LogDaemon | Promise<LogDaemon>;
  /** Long enough for whatever would wrongly happen. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export function clusterContract(openLog: () => OpenLog | Promise<OpenLog>): void {
  const opened: OpenLog[] = [];
  const services: RunService[] = [];
  const settle = async () => await opened.at(-1)?.settle();
  afterEach(async () => {
    for (const runs of services.splice(0)) await runs.close({ graceMs: 0 });
    for (const log of opened.splice(0)) await log.close();
  });

  makeCatalog();
  /** Daemons on one log, which call one provider. */
  async function stage(names: readonly string[], limits: { readonly openRuns?: number } = {}) {
    const log = await openLog();
    opened.push(log);
    const provider = new ScriptedProvider();
    const members: Member[] = [];
    for (const name of names) {
      const daemon = await log.open(name);
      if (members.length === 0) await daemon.store.commit({ line: ownerCreated() });
      const runs = createRunService({
        catalog,
        versions: currentVersions(catalog),
        store: daemon.store,
        provider,
        clock: systemClock,
        newId: createIdSource(),
        unlimited: false,
        credentialOf: async () => "same",
        openRunLimits: limits.openRuns === undefined ? {} : { workspace: limits.openRuns },
        logger: pino({ level: "silent" }),
        cluster: daemon.cluster,
      });
      await daemon.cluster.refresh();
      await runs.recover();
      members.push({ ...daemon, runs });
      services.push(runs);
    }
    const [a, b] = members;
    if (a === undefined || b === undefined) throw new Error("a cluster has two daemons at least");
    /** Every daemon sees what any of them has acknowledged, as at the beginning of a request. */
    const see = async () => {
      for (const { cluster } of members) await cluster.refresh();
    };
    return { a, b, members, provider, see };
  }

  async function startJob(all: Awaited<ReturnType<typeof stage>>): Promise<string> {
    const { a, provider } = all;
    const run = await a.runs.start(testCaller, request("/async"), { waitSeconds: 0 });
    await until(() => provider.pending.has(run.runId));
    provider.give(run.runId, scriptedJob);
    await until(() => provider.pending.get(run.runId)?.kind === "poll");
    await all.see();
    return run.runId;
  }

  describe("a run that one daemon drives", () => {
    test("is waited for at another", async () => {
      const all = await stage(["a", "b"]);
      const runId = await startJob(all);

      const waiting = all.b.runs.get(testCaller, runId, { waitSeconds: 20 });
      await settle();
      all.provider.give(runId, answerOf(200, 1));

      expect(await waiting).toMatchObject({ status: "COMPLETED", output: { count: 1 } });
    });

    test("is stopped at another, whose answer says so", async () => {
      const all = await stage(["a", "b"]);
      const runId = await startJob(all);

      const { status, stopRequestedAt } = await all.b.runs.stop(testCaller, runId);
      expect(["STOPPING", "STOPPED"]).toContain(status);
      expect(stopRequestedAt).toBeDefined();

      expect(await all.b.runs.get(testCaller, runId, { waitSeconds: 20 })).toMatchObject({ status: "STOPPED" });
      await expect(all.b.runs.stop(testCaller, runId)).rejects.toThrow("cannot be stopped: it is STOPPED");
    });

    test("is another's when the first dies: it asks for the job again, and who waited goes on waiting", async () => {
      const all = await stage(["a", "b", "c"]);
      const runId = await startJob(all);
      const waiting = all.members[2]?.runs.get(testCaller, runId, { waitSeconds: 20 });
      const waitingThere = all.b.runs.get(testCaller, runId, { waitSeconds: 20 });
      await settle();

      all.provider.pending.clear();
      await all.a.dieAndLeaveTo(all.b);
      await until(() => all.provider.pending.has(runId));
      all.provider.give(runId, answerOf(200, 1));

      expect(await waiting).toMatchObject({ status: "COMPLETED" });
      expect(await waitingThere).toMatchObject({ status: "COMPLETED" });
      expect(all.provider.started).toEqual([runId]);
    });

    test("is not called again by the one that takes it over in the middle of its call", async () => {
      const all = await stage(["a", "b"]);
      all.a.runs.start(testCaller, request("/sync"), { waitSeconds: 0 }).catch(() => undefined);
      await until(() => all.provider.started.length === 1);
      const [runId = ""] = all.provider.started;
      await all.see();

      await all.a.dieAndLeaveTo(all.b);

      const ended = await all.b.runs.get(testCaller, runId, { waitSeconds: 20 });
      expect(ended).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
      expect(all.provider.started).toEqual([runId]);
    });
  });

  describe("limits hold for all daemons together", () => {
    test("of open runs, however many are begun at once", async () => {
      const { members } = await stage(["a", "b", "c", "d"], { openRuns: 5 });

      const begun = await Promise.allSettled(
        Array.from({ length: 40 }, (_, i) =>
          members[i % 4]?.runs.start(testCaller, request("/async"), { waitSeconds: 0 }),
        ),
      );

      expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      const refusals = begun.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
      expect(refusals.every((error) => error instanceof ApiError && error.kind === "rateLimited")).toBe(true);
    });

    test("of concurrent runs at a provider", async () => {
      const { members, provider } = await stage(["a", "b", "c", "d"]);
      const runs = Array.from({ length: 12 }, async (_, i) => {
        return await members[i % 4]?.runs.start(testCaller, request("/narrow"), { waitSeconds: 0 });
      });
      let most = 0;
      for (let given = 0; given < 12; given += 1) {
        await until(() => provider.pending.size > 0);
        await settle();
        most = Math.max(most, provider.pending.size);
        const [runId = ""] = provider.pending.keys();
        provider.give(runId, answerOf(200, 1));
      }

      expect((await Promise.all(runs)).map((run) => run?.status)).toEqual(Array(12).fill("COMPLETED"));
      expect(most).toBe(2);
    });

    test("of runs that begin within a time", async () => {
      const { members, provider } = await stage(["a", "b"]);
      for (let i = 0; i < 8; i += 1) {
        void members[i % 2]?.runs.start(testCaller, request("/slow"), { waitSeconds: 0 }).catch(() => undefined);
      }

      await settle();

      expect(provider.started).toHaveLength(3);
    });
  });

  test("fifty equal runs at once over four daemons are one call", async () => {
    const { members, provider } = await stage(["a", "b", "c", "d"]);
    const runs = Array.from({ length: 50 }, async (_, i) => {
      return await members[i % 4]?.runs.start(testCaller, request("/kept", 600), { waitSeconds: 0 });
    });
    await until(() => provider.pending.size > 0);
    await settle();
    const [runId = ""] = provider.pending.keys();
    provider.give(runId, answerOf(200, 1));

    const ended = await Promise.all(runs);
    expect(ended.map((run) => run?.status)).toEqual(Array(50).fill("COMPLETED"));
    expect(provider.started).toEqual([runId]);
    expect(ended.filter((run) => run?.answeredFrom?.runId === runId)).toHaveLength(49);
  });

  test("a run that looked for an earlier answer before an equal one ended elsewhere is answered from that one", async () => {
    const { a, b, provider } = await stage(["a", "b"]);
    const { store } = b;
    const look = store.findKeptRun;
    let looked = (): void => {};
    const hasLooked = new Promise<void>((resolve) => (looked = resolve));
    let goOn = (): void => {};
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    store.findKeptRun = async (query) => {
      const found = await look(query);
      looked();
      await mayGoOn;
      return found;
    };

    const later = b.runs.start(testCaller, request("/kept", 600), { waitSeconds: 0 });
    await hasLooked;
    const sooner = a.runs.start(testCaller, request("/kept", 600), { waitSeconds: 0 });
    await until(() => provider.pending.size > 0);
    const [runId = ""] = provider.pending.keys();
    provider.give(runId, answerOf(200, 1));
    expect(await sooner).toMatchObject({ status: "COMPLETED" });
    await b.cluster.refresh();
    goOn();

    expect(await later).toMatchObject({ status: "COMPLETED", answeredFrom: { runId } });
    expect(provider.started).toEqual([runId]);
  });

  test("fifty requests with one Idempotency-Key over four daemons are one call", async () => {
    const { members, provider } = await stage(["a", "b", "c", "d"]);
    const doors = members.map(({ runs, store }) => ({
      runs,
      idempotency: createIdempotency({ store, answerOfRun: createAnswerOfRun({ runs, clock: systemClock }) }),
    }));
    const keyed = { key: "same", workspaceId: "w1", operationId: "run", params: {}, body: request("/sync") };
    const answers = Promise.allSettled(
      Array.from({ length: 50 }, async (_, i) => {
        const door = doors[i % 4];
        return await door?.idempotency.answer(keyed, async (stamp) => {
          const idempotency = { ...stamp, waitSeconds: 0 };
          const run: RunRecord = await door.runs.start(testCaller, request("/sync"), { waitSeconds: 0, idempotency });
          return reply(200, { runId: run.runId });
        });
      }),
    );
    await until(() => provider.pending.size > 0);
    await settle();
    provider.give(provider.started[0] ?? "", answerOf(200, 1));

    const ended = await answers;
    expect(provider.started).toHaveLength(1);
    const given = ended.flatMap((one) => (one.status === "fulfilled" ? [JSON.stringify(one.value)] : []));
    // One that comes when the run has ended is answered with it.
    expect(given.length).toBeGreaterThan(0);
    expect(given.every((text) => text.includes(provider.started[0] ?? "nothing"))).toBe(true);
    const refusals = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    expect(refusals.every((error) => error instanceof ApiError && error.kind === "conflict")).toBe(true);
  });
}
