import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";
import { startCountedProvider } from "./counted-provider.ts";
import { effort } from "../support/effort.ts";
import { addUp, readJournal } from "./journal-lines.ts";
import { reportTrial } from "./trial.ts";

const ROUNDS = effort(2, 50);
const CLIENTS = 8;
const LOCK_LOST = 70;

/** Buys until the daemon answers no more; the runs that were acknowledged. */
async function keepBuying(daemon: SpawnedDaemon, acknowledged: Set<string>): Promise<void> {
  for (;;) {
    try {
      const { status, body } = await daemon.request("POST", "/v1/run", { provider: "counted", endpoint: "/buy" });
      if (status === 503) return;
      if (status !== 200) throw new Error(`answered ${status}: ${body?.message}`);
      acknowledged.add(body.runId);
    } catch (error) {
      if (error instanceof TypeError) return; // fetch's word for a connection that broke
      throw error;
    }
  }
}

test(
  `a daemon that wakes after another took its folder over by force writes nothing more and ends, ${ROUNDS} rounds`,
  async (context) => {
    await using provider = await startCountedProvider();
    const codes: (number | null)[] = [];
    let kept = 0;

    for (let round = 0; round < ROUNDS; round += 1) {
      using home = mktHome();
      const acknowledged = new Set<string>();
      const options = {
        home,
        manifests: provider.manifests,
        environment: { MKT_LOG_LEVEL: "silent", MKT_STARTING_CREDIT: "1000" },
      };
      await using sleeper = await spawnDaemon(options);
      const load = Array.from({ length: CLIENTS }, () => keepBuying(sleeper, acknowledged));
      while (acknowledged.size < 10) await pause(2);

      process.kill(sleeper.pid, "SIGSTOP");
      await using taker = await spawnDaemon({ ...options, args: ["--force-unlock"] });
      const bought = await taker.request("POST", "/v1/run", { provider: "counted", endpoint: "/buy" });
      acknowledged.add(bought.body.runId);
      process.kill(sleeper.pid, "SIGCONT");
      await Promise.all(load);
      codes.push((await sleeper.exited).code);

      const found = await Promise.all(
        [...acknowledged].map(async (runId) => (await taker.request("GET", `/v1/runs/${runId}`)).status),
      );
      await taker.kill("SIGTERM");
      expect(found.filter((status) => status !== 200)).toEqual([]);
      expect(addUp(readJournal(home.dataDir)).broken).toEqual([]);
      kept += acknowledged.size;
    }

    const starts = provider.startedRuns();
    expect(codes).toEqual(Array(ROUNDS).fill(LOCK_LOST));
    expect(new Set(starts).size).toBe(starts.length);
    reportTrial(context, {
      what: "a suspended daemon wakes after its folder was taken over, rounds",
      tried: ROUNDS,
      lost: 0,
      note: `it ends with ${LOCK_LOST}; ${kept} acknowledged runs kept`,
    });
  },
  60_000 + ROUNDS * 20_000,
);
