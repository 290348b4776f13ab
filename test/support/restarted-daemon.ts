import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { mktHome } from "./mkt-home.ts";
import type { Answer, Ask } from "./request.ts";
import { type DaemonOptions, type SpawnedDaemon, spawnDaemon } from "./spawn-mkt.ts";

/** No start takes nearly so long. */
const MOST_MS = 60_000;

/** A built daemon that is killed again and again, and each time started at once on the same folder and port. */
export interface RestartedDaemon extends AsyncDisposable {
  /** The one that runs, or that was killed just now. */
  readonly now: () => SpawnedDaemon;
  readonly kills: () => number;
  /** `kill -9`, and the next start; resolves when it listens. Rejects once it is disposed of, and leaves nothing behind. */
  killAndRestart(): Promise<void>;
  /** Asks with the owner's key until a daemon answers that has time. */
  readonly ask: Ask;
}

export async function startRestartedDaemon(options: DaemonOptions = {}): Promise<RestartedDaemon> {
  const home = options.home ?? mktHome();
  const port = String(await freePort());
  const start = async () => await spawnDaemon({ ...options, home, args: [...(options.args ?? []), "--port", port] });
  let [daemon, kills, isOver] = [await start(), 0, false];
  return {
    now: () => daemon,
    kills: () => kills,
    async killAndRestart() {
      await daemon.kill("SIGKILL");
      kills += 1;
      if (isOver) throw new Error("the test is over");
      daemon = await start();
      if (!isOver) return;
      await daemon[Symbol.asyncDispose]();
      throw new Error("the test is over");
    },
    ask: async (...words) => await untilAnswered(async () => await daemon.request(...words)),
    async [Symbol.asyncDispose]() {
      isOver = true;
      await daemon[Symbol.asyncDispose]();
      if (options.home === undefined) home[Symbol.dispose]();
    },
  };
}

/** A 409 is a request with the same key under way, a 503 too much to do. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  const endMs = performance.now() + MOST_MS;
  for (let why = "it never came"; ; await pause(50)) {
    try {
      const answer = await ask();
      if (answer.status !== 409 && answer.status !== 503) return answer;
      why = answer.text;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // fetch's word for a connection that broke
      why = error.message;
    }
    if (performance.now() > endMs) throw new Error(`no answer within a minute: ${why}`);
  }
}
