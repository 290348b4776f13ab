import fc from "fast-check";
import { pino } from "pino";
import { beforeAll, expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { balanceAccount, credit, heldAccount } from "../../daemon/ledger/money/postings.ts";
import { type Catalog, loadCatalog } from "../../daemon/catalog/catalog.ts";
import type { Cluster } from "../../daemon/cluster/cluster.ts";
import { systemClock } from "../../daemon/base/clock.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { currentVersions } from "../support/current-versions.ts";
import { createRunService, type RunService } from "../../daemon/runs/run-service.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { ApiError } from "../../shared/errors.ts";
import { AT, ownerCreated } from "../storage/lines.ts";
import { MemoryGrantStore } from "../support/memory-grant-store.ts";
import { mktHome } from "../support/mkt-home.ts";
import { LifeModel, type ModelRun, PRICE } from "./life-model.ts";
import { answerOf, scriptedJob, ScriptedProvider } from "./scripted-provider.ts";
import { reportTrial } from "./trial.ts";
import { testCaller } from "../support/test-caller.ts";

/** What a service has when it runs. */
export interface OpenedStore {
  readonly store: Store;
  readonly cluster?: Cluster;
}

/** Where a service keeps its lines: it is opened, ends in order or not, and is opened again. */
export interface LifeHost {
  open(): Promise<OpenedStore>;
  /** In order, after the runs were left. */
  close(): Promise<void>;
  /** From now on nothing more is written, as after SIGKILL; with a seed the power fails too. */
  kill(powerSeed: number | undefined): Promise<void>;
  /** Of what was killed, when its runs were left too. */
  afterKill(): Promise<void>;
  /** Lets whatever is under way go on for a moment. */
  turn(): Promise<void>;
  /** When a sequence is over. */
  end(): Promise<void>;
}

/** Turns of the event loop within which the service has done what it was asked; never nearly so many. */
const MAX_TURNS = 20_000;

let catalog: Catalog;

async function makeCatalog(): Promise<() => void> {
  const home = mktHome();
  const count = { estimate: { count: "input:body.count", max: "input:body.count" } };
  const body = { properties: { count: { type: "integer", default: PRICE.maxResults, maximum: PRICE.maxResults } } };
  const endpoints = {
    "/sync": { request: { method: "POST", path: "/sync" }, price: { type: "PER_CALL", amount: 0.01 } },
    "/async": {
      request: { method: "POST", path: "/async" },
      input: { body },
      usage: { count: "$.count", ...count },
      price: { type: "PER_RESULT", amount: 0.002 },
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
}

/** A run service on a host, with a provider that does as it is told. */
class Service {
  readonly provider = new ScriptedProvider();
  readonly runIds: string[] = [];
  readonly #host: LifeHost;
  #store: Store | undefined;
  #runs: RunService | undefined;

  constructor(host: LifeHost) {
    this.#host = host;
  }

  get store(): Store {
    if (this.#store === undefined) throw new Error("the service was not started");
    return this.#store;
  }

  get runs(): RunService {
    if (this.#runs === undefined) throw new Error("the service was not started");
    return this.#runs;
  }

  /** `ownerBalance`: the first start, of an empty store. */
  async start(ownerBalance?: number): Promise<void> {
    const { store, cluster } = await this.#host.open();
    this.#store = store;
    if (ownerBalance !== undefined) await store.commit({ line: ownerCreated(ownerBalance) });
    this.#runs = createRunService({
      catalog,
      versions: currentVersions(catalog),
      store,
      provider: this.provider,
      clock: systemClock,
      newId: createIdSource(),
      unlimited: false,
      logger: pino({ level: "silent" }),
      ...(cluster !== undefined && { cluster }),
    });
    await cluster?.refresh();
    await this.#runs.recover();
  }

  /** Resolves when the run is durable, however long its provider takes. */
  async buy(mode: ModelRun["mode"]): Promise<void> {
    const before = new Set(this.provider.pending.keys());
    const started = this.runs.start(testCaller, { provider: "shop", endpoint: `/${mode}` }, { waitSeconds: 0 });
    const refused = started.then(
      () => new Promise<never>(() => {}),
      (error: unknown) => Promise.reject(error),
    );
    const newOne = () => [...this.provider.pending.keys()].find((runId) => !before.has(runId));
    await Promise.race([refused, this.until(async () => newOne() !== undefined)]);
    this.runIds.push(newOne() ?? "none");
  }

  async close(): Promise<void> {
    await this.runs.close({ graceMs: 0 });
    await this.#host.close();
  }

  /** As by SIGKILL, with the power or alone. */
  async kill(powerSeed: number | undefined): Promise<void> {
    await this.#host.kill(powerSeed);
    await this.runs.close({ graceMs: 0 });
    await this.#host.afterKill();
    this.provider.pending.clear();
  }

  async until(isSo: () => Promise<boolean>): Promise<boolean> {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      if (await isSo()) return true;
      await this.#host.turn();
    }
    return false;
  }
}

interface Facts {
  readonly balance: number;
  readonly held: number;
  readonly runs: readonly string[];
  readonly calls: readonly (string | undefined)[];
}

/** What both sides say, comparable; the service's own words are taken where the model allows several. */
async function factsOf(service: Service, model: LifeModel): Promise<[real: Facts, expected: Facts]> {
  const [balance = 0, held = 0] = await service.store.readAccounts([balanceAccount("w1"), heldAccount("w1")]);
  const found = await Promise.all(service.runIds.map((runId) => service.store.findRun("w1", runId)));
  const real: Facts = {
    balance,
    held,
    runs: found.map((run) => `${run?.status}, charged ${run?.billing?.reported ?? 0}`),
    calls: service.runIds.map((runId) => service.provider.pending.get(runId)?.kind),
  };
  const expected: Facts = {
    balance: model.balance,
    held: model.held,
    runs: model.runs.map(({ end, isStopping }, index) => {
      const allowed = end?.statuses ?? [isStopping ? "STOPPING" : "RUNNING"];
      const status = allowed.find((name) => name === found[index]?.status) ?? allowed[0];
      return `${status}, charged ${end?.charged ?? 0}`;
    }),
    calls: model.runs.map(({ end, asked }) => (end === undefined ? asked : undefined)),
  };
  return [real, expected];
}

async function checkSame(service: Service, model: LifeModel): Promise<void> {
  const isSame = async () => {
    const [real, expected] = await factsOf(service, model);
    return JSON.stringify(real) === JSON.stringify(expected);
  };
  if (await service.until(isSame)) return;
  const [real, expected] = await factsOf(service, model);
  expect(real).toEqual(expected);
}

type LifeCommand = fc.AsyncCommand<LifeModel, Service>;

function command(name: string, check: (model: LifeModel) => boolean, run: LifeCommand["run"]): LifeCommand {
  return {
    check,
    async run(model, service) {
      await run(model, service);
      await checkSame(service, model);
      expect(new Set(service.provider.started).size, "calls that were repeated").toBe(service.provider.started.length);
    },
    toString: () => name,
  };
}

const always = () => true;

function buy(mode: ModelRun["mode"]): LifeCommand {
  return command(`buy ${mode}`, always, async (model, service) => {
    if (model.canAfford(mode)) {
      await service.buy(mode);
      model.accept(mode);
      return;
    }
    const refused = await service.buy(mode).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect((refused as ApiError).kind).toBe("insufficientFunds");
  });
}

/** An event for one of the open runs: `choice` says which. */
function event(
  name: string,
  choice: number,
  fits: (run: ModelRun) => boolean,
  act: (run: ModelRun, runId: string, model: LifeModel, service: Service) => Promise<void> | void,
): LifeCommand {
  return command(
    `${name} #${choice}`,
    (model) => model.open.some(fits),
    async (model, service) => {
      const fitting = model.open.filter(fits);
      const run = fitting[choice % fitting.length];
      if (run === undefined) throw new Error("no run fits");
      await act(run, service.runIds[model.runs.indexOf(run)] ?? "", model, service);
    },
  );
}

const answer = (choice: number, httpStatus: number, count: number) =>
  event(`answer ${httpStatus} with ${count}`, choice, always, (run, runId, model, service) => {
    const price = run.mode === "sync" ? PRICE.sync : count * PRICE.perResult;
    service.provider.give(runId, answerOf(httpStatus, count));
    model.finish(run, ["COMPLETED"], httpStatus < 300 ? price : 0);
  });

const fallSilent = (choice: number) =>
  event("no answer", choice, always, (run, runId, model, service) => {
    service.provider.give(runId, "none");
    model.finish(run, run.isStopping ? ["STOPPED", "FAILED"] : ["FAILED"]);
  });

const giveJob = (choice: number) =>
  event(
    "a job",
    choice,
    ({ mode }) => mode === "async",
    (run, runId, model, service) => {
      const isFirst = run.asked === "start";
      service.provider.nextStop = "stopped";
      service.provider.give(runId, scriptedJob);
      run.asked = "poll";
      // A stop that was asked for before there was a job is passed on with it.
      if (isFirst && run.isStopping) model.finish(run, ["STOPPED"]);
    },
  );

const stop = (choice: number, outcome: "stopped" | "unsupported" | "refused") =>
  event(
    `stop, ${outcome}`,
    choice,
    ({ mode, isStopping }) => mode === "async" && !isStopping,
    async (run, runId, model, service) => {
      service.provider.nextStop = outcome;
      await service.runs.stop(testCaller, runId);
      run.isStopping = true;
      if (run.asked === "poll" && outcome !== "refused") model.finish(run, ["STOPPED"]);
    },
  );

const stopSync = (choice: number) =>
  event(
    "stop of a sync run",
    choice,
    ({ mode }) => mode === "sync",
    async (_run, runId, _model, service) => {
      await expect(service.runs.stop(testCaller, runId)).rejects.toMatchObject({ kind: "conflict" });
    },
  );

const creditWallet = (micros: number) =>
  command(`credit ${micros}`, always, async (model, service) => {
    const amount = microDollars(micros);
    const facts = { v: 1, at: AT, ws: "w1", amount, reason: "a gift", by: "USER#u1" } as const;
    await service.store.commit({ line: { t: "wallet.credited", ...facts, led: credit("w1", amount) } });
    model.balance += amount;
  });

const restart = (how: "clean" | "kill" | "power", seed: number) =>
  command(`restart, ${how}`, always, async (model, service) => {
    service.provider.nextStop = "stopped";
    if (how === "clean") await service.close();
    else await service.kill(how === "power" ? seed : undefined);
    model.restart();
    // A stop that was under way is asked for again.
    for (const run of model.open) if (run.isStopping) model.finish(run, ["STOPPED"]);
    await service.start();
  });

const commands = [
  fc.constantFrom("sync" as const, "async" as const).map(buy),
  fc.constantFrom("sync" as const, "async" as const).map(buy),
  fc.tuple(fc.nat(9), fc.constantFrom(200, 204, 404, 500), fc.nat(12)).map((args) => answer(...args)),
  fc.nat(9).map(fallSilent),
  fc.nat(9).map(giveJob),
  fc.nat(9).map(giveJob),
  fc.nat(9).map(giveJob),
  fc
    .tuple(fc.nat(9), fc.constantFrom("stopped" as const, "unsupported" as const, "refused" as const))
    .map((args) => stop(...args)),
  fc.nat(9).map(stopSync),
  fc.integer({ min: 1, max: 50_000 }).map(creditWallet),
  fc
    .tuple(fc.constantFrom("clean" as const, "kill" as const, "power" as const), fc.nat())
    .map((args) => restart(...args)),
];

export interface LifeSuite {
  /** What the host is, for the title. */
  readonly where: string;
  readonly sequences: number;
  readonly host: () => LifeHost | Promise<LifeHost>;
  readonly hangMs: number;
}

/** Sequences of whatever may happen, compared with the model after each step; the same for every store. */
export function lifeSuite({ where, sequences, host, hangMs }: LifeSuite): void {
  beforeAll(makeCatalog);

  test(
    `whatever callers, providers, kills and power losses do, runs and money are as the model says, ${sequences} sequences ${where}`,
    async (context) => {
      let done = 0;
      const property = fc.asyncProperty(fc.commands(commands, { maxCommands: 30, size: "max" }), async (sequence) => {
        const opened = await host();
        const service = new Service(opened);
        const model = new LifeModel();
        await service.start(model.balance);
        try {
          await fc.asyncModelRun(() => ({ model, real: service }), sequence);
          done += 1;
        } finally {
          await service.close();
          await opened.end();
        }
      });

      await fc.assert(property, { numRuns: sequences });

      reportTrial(context, {
        what: `sequences of events against the model of a run's life ${where}`,
        tried: done,
        lost: 0,
      });
    },
    hangMs,
  );
}
