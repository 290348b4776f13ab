import { setTimeout as pause } from "node:timers/promises";
import { mktHome } from "../support/mkt-home.ts";
import { type Answer, toAnswer } from "../support/request.ts";
import { type MktOutcome, type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";

/** A suspended daemon does not answer; a client then asks another one. */
const ANSWER_MS = 4_000;
const END_MS = 60_000;
/** While the database is away a daemon ends as it starts. */
const START_TRIES = 50;

export interface FleetOptions {
  readonly size: number;
  readonly manifests: Readonly<Record<string, object>>;
  readonly environment: Readonly<Record<string, string>>;
  /** Another build's `mkt.js` in the place of this checkout's. */
  readonly program?: string;
}

/** Daemon processes on one database, each in a place that gets another process when the last one has ended. */
export interface Fleet extends AsyncDisposable {
  /** The owner's key, which every daemon takes. */
  readonly key: string;
  /** Those that run now, suspended ones too. */
  living(): readonly SpawnedDaemon[];
  /** Ends one with the signal, or waits until it ends by itself; then starts another one in its place. With its exit code. */
  replace(daemon: SpawnedDaemon, signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends one in order and starts another build in its place, which the place keeps. With its exit code. */
  upgrade(daemon: SpawnedDaemon, program: string): Promise<number | null>;
  /**
   * Asks one daemon after the other, chosen at random, until one answers with anything but "come again later". What it
   * makes needs an Idempotency-Key.
   */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
}

export interface AskOptions {
  readonly body?: object | undefined;
  readonly key?: string;
  readonly idempotencyKey?: string | undefined;
}

export async function startFleet({ size, manifests, environment, program }: FleetOptions): Promise<Fleet> {
  const homes = Array.from({ length: size }, () => mktHome());
  const places: (SpawnedDaemon | undefined)[] = [];
  const programs = homes.map(() => program);
  const start = async (at: number): Promise<void> => {
    for (let left = START_TRIES; ; left -= 1) {
      try {
        const own = programs[at];
        const options = { home: homes[at] ?? mktHome(), manifests, environment };
        places[at] = await spawnDaemon({ ...options, ...(own !== undefined && { program: own }) });
        return;
      } catch (error) {
        if (left === 0 || !/ended with 75/.test(String(error))) throw error;
        await pause(300);
      }
    }
  };
  // The first one makes the owner's key.
  await start(0);
  const key = places[0]?.key ?? "";
  await Promise.all(Array.from({ length: size - 1 }, (_, at) => start(at + 1)));

  const living = () => places.filter((daemon) => daemon !== undefined);
  const replace = async (daemon: SpawnedDaemon, signal?: NodeJS.Signals) => {
    const at = places.indexOf(daemon);
    if (signal !== undefined) places[at] = undefined;
    const { code } = signal === undefined ? await endOf(daemon) : await daemon.kill(signal);
    places[at] = undefined;
    await start(at);
    return code;
  };
  return {
    key,
    living,
    replace,
    async upgrade(daemon, next) {
      programs[places.indexOf(daemon)] = next;
      return await replace(daemon, "SIGTERM");
    },
    async ask(method, path, { body, key: other = key, idempotencyKey } = {}) {
      for (;;) {
        const daemon = oneOf(living());
        const answer = daemon && (await askOnce(`${daemon.url}${path}`, { method, body, key: other, idempotencyKey }));
        if (answer !== undefined && answer.status !== 503) return answer;
        await pause(50);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(living().map((daemon) => daemon.kill("SIGKILL")));
      for (const home of homes) home[Symbol.dispose]();
    },
  };
}

/** What does not end by itself is killed, and then has no exit code. */
async function endOf(daemon: SpawnedDaemon): Promise<MktOutcome> {
  const timer = setTimeout(() => void daemon.kill("SIGKILL"), END_MS);
  return await daemon.exited.finally(() => clearTimeout(timer));
}

/** Undefined: the connection broke, or nothing came back. */
async function askOnce(
  url: string,
  { method, body, key, idempotencyKey }: AskOptions & { readonly method: string },
): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return toAnswer(response.status, response.headers, await response.text());
  } catch {
    return undefined;
  }
}

export function oneOf<Thing>(things: readonly Thing[]): Thing | undefined {
  return things[Math.floor(Math.random() * things.length)];
}
