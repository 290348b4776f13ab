import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";

const ROUNDS = Number(process.env["MKT_KILL_ROUNDS"] ?? 20);
const CLIENTS = 12;
/** Runs that callers must have been told about before a round's kill, so that every round has something to lose. */
const TOLD_A_ROUND = 5;
const STARTING_DOLLARS = 1_000;
const HANG_MS = 300_000 + ROUNDS * 10_000;

/** A provider whose calls must not be repeated, and which is told the run that it is called for. */
function countedManifest(baseUrl: string): object {
  const headers = { "x-run-id": "${run.id}" };
  return {
    http: { baseUrl, allowPrivateNetwork: true },
    endpoints: {
      "/buy": { request: { method: "POST", path: "/buy", headers }, price: { type: "PER_CALL", amount: 0.01 } },
      "/work": {
        request: { method: "POST", path: "/work", headers },
        price: { type: "PER_CALL", amount: 0.02 },
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/work/${run.externalId}",
            everyMs: 20,
            status: "$.status",
            states: { running: ["working"], done: ["done"] },
          },
          stop: { method: "DELETE", path: "/work/${run.externalId}" },
          runMs: 120_000,
        },
      },
    },
  };
}

function scriptProvider(provider: FakeProvider): void {
  const asked = new Map<string, number>();
  provider.on("POST /buy", (call) => ({ delayMs: call.text.length % 7, json: { bought: true } }));
  provider.on("POST /work", (call) => ({ status: 202, json: { id: call.headers["x-run-id"] } }));
  provider.on("GET /work/*", ({ path }) => {
    const polls = (asked.get(path) ?? 0) + 1;
    asked.set(path, polls);
    return { json: { status: polls > 3 ? "done" : "working" } };
  });
  provider.on("DELETE /work/*", { status: 204 });
}

/** What callers were told: the newest word for each run. */
type Told = Map<string, { readonly status: string; readonly reported?: number }>;

/** Asks for runs of all kinds, and stops some, until the daemon is gone. */
async function keepBuying(daemon: SpawnedDaemon, client: number, told: Told): Promise<void> {
  for (let turn = client; ; turn += 1) {
    try {
      const endpoint = turn % 3 === 0 ? "/work" : "/buy";
      const { status, body } = await daemon.request("POST", "/v1/run", { provider: "counted", endpoint });
      if (status !== 200 && status !== 202) throw new Error(`answered ${status}: ${body?.message}`);
      told.set(body.runId, { status: body.status, reported: body.billing?.reportedCost.value });
      if (status === 202 && turn % 2 === 0) await daemon.request("POST", `/v1/runs/${body.runId}/stop`);
    } catch (error) {
      if (error instanceof TypeError) return; // fetch's word for a connection that broke
      throw error;
    }
  }
}

async function untilTold(told: Told, size: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (told.size < size) {
    if (Date.now() > deadline) throw new Error("the daemon acknowledged too little within a minute");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

interface JournalLine {
  readonly t: string;
  readonly run?: string;
  readonly led?: ReadonlyArray<readonly [string, number]>;
  readonly rec?: { readonly status: string; readonly billing?: { readonly reported: number } };
}

function readJournal(dataDir: string): JournalLine[] {
  const folder = join(dataDir, "log");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalLine);
}

async function untilNothingIsOpen(daemon: SpawnedDaemon): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { body } = await daemon.request("GET", "/v1/runs?status=READY,RUNNING,STOPPING&limit=1");
    if (body.items.length === 0) return;
    if (Date.now() > deadline) throw new Error("runs are still open after a minute");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it(
  `kill -9 at random moments under load, ${ROUNDS} rounds: nothing acknowledged is lost, no money moves, nobody is called twice`,
  async () => {
    await using provider = await startFakeProvider();
    scriptProvider(provider);
    using home = mktHome();
    const options = {
      home,
      manifests: { counted: countedManifest(provider.url) },
      environment: { MKT_STARTING_CREDIT: String(STARTING_DOLLARS), MKT_LOG_LEVEL: "error" },
    };
    const told: Told = new Map();

    for (let round = 0; round < ROUNDS; round += 1) {
      await using daemon = await spawnDaemon(options);
      const load = Array.from({ length: CLIENTS }, (_, client) => keepBuying(daemon, client, told));
      await untilTold(told, told.size + TOLD_A_ROUND);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      await daemon.kill("SIGKILL");
      await Promise.all(load);
    }
    await using last = await spawnDaemon(options);
    await untilNothingIsOpen(last);

    let lost = 0;
    let changed = 0;
    for (const [runId, { status, reported }] of told) {
      const found = await last.request("GET", `/v1/runs/${runId}`);
      if (found.status !== 200) lost += 1;
      else if (reported !== undefined && found.body.status !== status) changed += 1;
      else if (reported !== undefined && found.body.billing.reportedCost.value !== reported) changed += 1;
    }
    const wallet = (await last.request("GET", "/v1/wallet/balance")).body;
    await last.kill("SIGTERM");
    const lines = readJournal(home.dataDir);
    const accepted = lines.filter(({ t }) => t === "run.accepted").map(({ run }) => run);
    const done = lines.filter(({ t }) => t === "run.done");
    const charged = done.reduce((sum, { rec }) => sum + (rec?.billing?.reported ?? 0), 0);
    const starts = provider.calls.filter(({ method }) => method === "POST").map(({ headers }) => headers["x-run-id"]);

    expect(told.size).toBeGreaterThanOrEqual(ROUNDS * TOLD_A_ROUND);
    expect({ lost, changed }).toEqual({ lost: 0, changed: 0 });
    expect(new Set(accepted).size).toBe(accepted.length);
    expect(done.map(({ run }) => run).sort()).toEqual([...accepted].sort());
    for (const { led } of lines) expect((led ?? []).reduce((sum, [, amount]) => sum + amount, 0)).toBe(0);
    expect(new Set(starts).size).toBe(starts.length);
    expect(wallet.held.value).toBe(0);
    expect(wallet.balance.value).toBeCloseTo(STARTING_DOLLARS - charged / 1_000_000, 6);
    const cutShort = done.filter(({ rec }) => rec?.status === "FAILED").length;
    process.stderr.write(
      `kill -9: ${ROUNDS} rounds, ${told.size} runs acknowledged, ${accepted.length} accepted, ${cutShort} cut short, 0 lost\n`,
    );
    expect(cutShort).toBeGreaterThan(0);
  },
  HANG_MS,
);
