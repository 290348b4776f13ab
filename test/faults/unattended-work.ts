import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { type FakeCall, type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type RestartedDaemon, startRestartedDaemon } from "../support/restarted-daemon.ts";
import { runAndKill } from "../support/run-and-kill.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { sortedResults } from "../batch/batch-market.ts";

/** What each call costs, in dollars. */
export const PRICE = 0.01;
/** Rows of a batch that are at the vendor at once. */
export const CONCURRENCY = 4;
/** A row takes this long at the vendor, a job four times as long. */
const CALL_MS = 40;
const JOB_POLL_MS = 400;
/** Of so many messages one is refused when it comes first. */
const REFUSED_ONE_IN = 6;
/** A batch goes on while its daemon is killed and comes again, and that takes long on a machine with much else to do. */
const BATCH_HANGS_MS = 900_000;

/** A message that the receiver took. */
export interface Message {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly runId?: string; readonly scheduleId?: string };
}

/** A daemon that works while nobody watches: for schedules of every second, for batches, and for a receiver of webhooks. */
export interface UnattendedWork extends AsyncDisposable {
  readonly home: MktHome;
  readonly daemon: RestartedDaemon;
  readonly webhookId: string;
  readonly scheduleIds: readonly string[];
  /** The runs that the vendor was called for, once for each call that starts something. */
  readonly startedRuns: readonly string[];
  /** Each message as often as it was taken. */
  readonly taken: readonly Message[];
  /** How many messages were not signed as they ought to be. */
  readonly forged: () => number;
  /** From now on the receiver takes everything at once. */
  calm(): void;
  /**
   * Runs a batch of so many rows to its end, however often its daemon is away, and gives the results in the order of its
   * rows. As long as `isKilled` says so, its command is killed at random places, and continued.
   */
  batch(name: string, rows: number, isKilled: () => boolean): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** How often the command of a batch was killed. */
  readonly killsOfBatches: () => number;
}

export async function startUnattendedWork(): Promise<UnattendedWork> {
  const home = mktHome();
  const [vendor, receiver] = [await startFakeProvider(), await startFakeProvider()];
  const { startedRuns, rowsCalled } = script(vendor);
  let killsOfBatches = 0;
  const daemon = await startRestartedDaemon({
    home,
    manifests: { vendor: manifestOf(vendor.url) },
    environment: { MKT_SCHEDULE_MIN_SECONDS: "1", MKT_STARTING_CREDIT: "100000", MKT_LOG_LEVEL: "error" },
  });
  const hook = await daemon.ask("POST", "/v1/webhooks", { url: `${receiver.url}/hook` });
  const messages = receive(receiver, hook.body.secret);
  const scheduleIds = await Promise.all(
    [{ endpoint: "/tick", overlap: true }, { endpoint: "/tick", missed: "ONCE" }, { endpoint: "/job" }].map(
      async (one) => {
        const wanted = { provider: "vendor", cron: "* * * * * *", pauseAfterFailures: 1_000, ...one };
        const { status, text, body } = await daemon.ask("POST", "/v1/schedules", wanted);
        if (status !== 201) throw new Error(`no schedule was made: ${text}`);
        return body.scheduleId as string;
      },
    ),
  );
  return {
    home,
    daemon,
    webhookId: hook.body.webhookId,
    scheduleIds,
    startedRuns,
    ...messages,
    batch: async (name, rows, isKilled) =>
      await runBatch(daemon, home, {
        name,
        rows,
        calls: rowsCalled,
        isKilled,
        onKill: () => void (killsOfBatches += 1),
      }),
    killsOfBatches: () => killsOfBatches,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await Promise.all([vendor.close(), receiver.close()]);
      home[Symbol.dispose]();
    },
  };
}

function manifestOf(baseUrl: string): object {
  const headers = { "x-run-id": "${run.id}" };
  const price = { type: "PER_CALL", amount: PRICE };
  const item = { type: "object", properties: { item: { type: "string" } }, required: ["item"] };
  return {
    http: { baseUrl, allowPrivateNetwork: true },
    endpoints: {
      "/price": {
        request: { method: "POST", path: "/price", headers },
        input: { body: item },
        price,
      },
      "/tick": { request: { method: "POST", path: "/tick", headers }, price },
      "/job": {
        request: { method: "POST", path: "/job", headers },
        price,
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/job/${run.externalId}",
            everyMs: JOB_POLL_MS,
            status: "$.status",
            states: { running: ["working"], done: ["done"] },
          },
          runMs: 120_000,
        },
      },
    },
  };
}

interface Started {
  /** The runs that calls start, as they come. */
  readonly startedRuns: readonly string[];
  /** How often a row of a batch was called for. */
  readonly rowsCalled: () => number;
}

function script(vendor: FakeProvider): Started {
  const startedRuns: string[] = [];
  let rowsCalled = 0;
  const polls = new Map<string, number>();
  const start = ({ headers }: FakeCall) => startedRuns.push(String(headers["x-run-id"]));
  vendor.on("POST /price", (call) => {
    start(call);
    rowsCalled += 1;
    return { json: call.json, delayMs: CALL_MS };
  });
  vendor.on("POST /tick", (call) => {
    start(call);
    return { json: { ticked: true }, delayMs: CALL_MS };
  });
  vendor.on("POST /job", (call) => {
    start(call);
    return { status: 202, json: { id: call.headers["x-run-id"] } };
  });
  vendor.on("GET /job/*", ({ path }) => {
    const count = (polls.get(path) ?? 0) + 1;
    polls.set(path, count);
    return { json: { status: count > 3 ? "done" : "working" } };
  });
  return { startedRuns, rowsCalled: () => rowsCalled };
}

/** A receiver that checks every signature, is slow now and then, and refuses some messages when they come first. */
function receive(receiver: FakeProvider, secret: string): Pick<UnattendedWork, "taken" | "forged" | "calm"> {
  const verifier = new Verifier(secret);
  const taken: Message[] = [];
  const seen = new Set<string>();
  let [forged, isCalm] = [0, false];
  receiver.on("POST /hook", ({ text, headers }) => {
    const id = String(headers["webhook-id"]);
    let message: Omit<Message, "id">;
    try {
      message = verifier.verify(text, headers as Record<string, string>) as Omit<Message, "id">;
    } catch {
      forged += 1;
      return { status: 400 };
    }
    const isFirst = !seen.has(id);
    seen.add(id);
    if (isFirst && !isCalm && seen.size % REFUSED_ONE_IN === 0) return { status: 500 };
    taken.push({ ...message, id });
    return { status: 204, delayMs: isCalm ? 0 : seen.size % 50 };
  });
  return { taken, forged: () => forged, calm: () => void (isCalm = true) };
}

interface BatchOfRows {
  readonly name: string;
  readonly rows: number;
  /** Calls of the batches' endpoint so far. */
  readonly calls: () => number;
  /** Whether the command is killed once more. */
  readonly isKilled: () => boolean;
  readonly onKill: () => void;
}

async function runBatch(
  daemon: RestartedDaemon,
  home: MktHome,
  { name, rows, calls, isKilled, onKill }: BatchOfRows,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const [input, output] = [join(home.path, `${name}.csv`), join(home.path, `${name}.jsonl`)];
  writeFileSync(input, `item\n${Array.from({ length: rows }, (_, at) => `${name}-${at}\n`).join("")}`);
  const words = ["batch", "vendor/price", input, "-o", output, "--concurrency", String(CONCURRENCY), "--yes"];
  const { url, key } = daemon.now();
  const options = { home, environment: { MKT_API_URL: url, MKT_API_KEY: key }, killAfterMs: BATCH_HANGS_MS };
  const all = () => {
    const results = existsSync(output) ? sortedResults(readFileSync(output, "utf8")) : [];
    return results.length === rows ? results : undefined;
  };
  let resume: string[] = [];
  for (;;) {
    const outcome = isKilled()
      ? await runAndKill([...words, ...resume], options, { calls, mostCalls: rows / 4 })
      : await spawnMkt([...words, ...resume], options);
    if (outcome === undefined) {
      onKill();
      resume = ["--resume"];
      continue;
    }
    const { code, stderr } = outcome;
    if (code === 0 || code === 13) {
      const results = all();
      if (results !== undefined) return results;
      resume = ["--resume"];
    } else if (code === 5 && resume.length > 0) {
      // Nothing is interrupted: it was killed as it ended, or before it was kept. Then nothing was sent, and it begins anew.
      if (existsSync(output))
        return all() ?? fail(`a batch of which results are missing cannot be continued: ${stderr}`);
      resume = [];
    } else if (code === 9) {
      // The daemon was away for a minute, or before anything was begun.
      resume = ["--resume"];
    } else {
      fail(`the batch ended with ${code}: ${stderr}`);
    }
    await pause(50);
  }
}

function fail(why: string): never {
  throw new Error(why);
}
