import { expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";
import { effort } from "../support/effort.ts";
import { reportTrial } from "./trial.ts";

const ROUNDS = effort(1, 20);
const DAEMONS = 12;
const IN_USE = "ended with 75";

test(
  `of ${DAEMONS} daemons started at once on one folder one serves, and no other takes it while that one is suspended, ${ROUNDS} rounds`,
  async (context) => {
    using home = mktHome();
    const served: unknown[] = [];
    const refused: string[] = [];

    for (let round = 0; round < ROUNDS; round += 1) {
      const starts = await Promise.allSettled(Array.from({ length: DAEMONS }, () => spawnDaemon({ home })));
      const daemons: SpawnedDaemon[] = [];
      for (const start of starts) {
        if (start.status === "fulfilled") daemons.push(start.value);
        else refused.push(String(start.reason));
      }
      for (const daemon of daemons) process.kill(daemon.pid, "SIGSTOP");
      refused.push(await spawnDaemon({ home }).then(() => "it started", String));
      for (const daemon of daemons) process.kill(daemon.pid, "SIGCONT");
      for (const daemon of daemons) {
        served.push((await daemon.request("GET", "/v1/auth/whoami")).status);
        // The next ones find what a crash leaves.
        await daemon.kill("SIGKILL");
      }
    }

    expect(served).toEqual(Array(ROUNDS).fill(200));
    expect(refused).toHaveLength(ROUNDS * DAEMONS);
    expect(refused.filter((reason) => !reason.includes(IN_USE))).toEqual([]);
    reportTrial(context, {
      what: "twelve daemons start at once on one folder, and one beside a suspended one, rounds",
      tried: ROUNDS,
      lost: 0,
      note: "one serves, all others end with 75",
    });
  },
  60_000 + ROUNDS * 30_000,
);
