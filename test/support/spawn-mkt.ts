import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { BUNDLED_CATALOG, type MktHome, mktHome } from "./mkt-home.ts";
import { type Ask, askWith } from "./request.ts";
import { storeSettings } from "./suite-store.ts";

/** The built program; `npm test` builds it before the tests run. */
export const mktProgram = fileURLToPath(new URL("../../dist/mkt.js", import.meta.url));

/** No command takes nearly so long, unless its test says otherwise; what does hangs, and is killed. */
const hangMs = 60_000;

/** A test that times out, or whose process is ended, disposes of nothing: what it started ends with the process. */
const running = new Set<ChildProcess>();
process.once("SIGTERM", () => {
  for (const child of running) child.kill("SIGKILL");
  process.kill(process.pid, "SIGTERM");
});

export interface SpawnOptions {
  readonly home: MktHome;
  /** Over the home's environment; an empty text counts as not set for every variable of `mkt`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
  /** Another build's `mkt.js` in the place of this checkout's. */
  readonly program?: string;
  /** A line for the shell that starts the program, such as "umask 000" or "ulimit -f 24"; without it there is no shell. */
  readonly shellLine?: string;
  /** After how many milliseconds a command hangs, and is killed; a minute unless given. */
  readonly killAfterMs?: number;
}

/** How a process ended. `code` is null when a signal ended it. */
export interface MktOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The line that a daemon writes when it listens. */
export interface ReadyLine {
  readonly event: string;
  readonly url: string;
  readonly registryUrl: string;
  readonly pid: number;
  readonly endpoints: number;
  readonly startupMs: number;
}

export interface DaemonOptions extends Omit<SpawnOptions, "home" | "stdin" | "killAfterMs"> {
  /** The home of an earlier daemon; without it a fresh one that goes with the daemon. */
  readonly home?: MktHome;
  /** Further words after `daemon --port 0 --registry-port 0`; a later flag wins. */
  readonly args?: readonly string[];
  /** Manifests by slug, in a trusted folder; they may reach 127.0.0.1. */
  readonly manifests?: Readonly<Record<string, object>>;
  /** Whether the bundled catalog is served; without it unless asked for. */
  readonly bundled?: boolean;
}

export interface SpawnedDaemon extends AsyncDisposable {
  readonly home: MktHome;
  readonly ready: ReadyLine;
  readonly url: string;
  readonly registryUrl: string;
  /** As the daemon says. */
  readonly pid: number;
  /** As the operating system says. */
  readonly childPid: number | undefined;
  /** The owner's key. */
  readonly key: string;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** How it ended, once it has. */
  readonly exited: Promise<MktOutcome>;
  /** Sends the signal, SIGTERM unless named, and waits for the end; what does not end in a minute is killed. */
  kill(signal?: NodeJS.Signals): Promise<MktOutcome>;
  /** A request with the owner's key. */
  readonly request: Ask;
}

/** Runs the built `mkt` to its end, as a process of its own. */
export async function spawnMkt(args: readonly string[], options: SpawnOptions): Promise<MktOutcome> {
  const { exited } = spawnProgram(args, options);
  return exited;
}

/** A command that was started and may be killed before it ends by itself. */
export interface StartedMkt {
  readonly exited: Promise<MktOutcome>;
  /** `kill -9`, and its end. */
  kill(): Promise<MktOutcome>;
}

/** Starts the built `mkt`, as a process of its own. */
export function startMkt(args: readonly string[], options: SpawnOptions): StartedMkt {
  const { child, exited } = spawnProgram(args, options);
  return {
    exited,
    async kill() {
      child.kill("SIGKILL");
      return await exited;
    },
  };
}

/** Starts `mkt daemon` on free ports and waits for its ready line. Rejects, with what it wrote, when it ends instead. */
export async function spawnDaemon(options: DaemonOptions = {}): Promise<SpawnedDaemon> {
  const { args = [], manifests, bundled = false } = options;
  const home = options.home ?? mktHome();
  const words = ["daemon", "--port", "0", "--registry-port", "0"];
  if (!bundled) words.push("--no-bundled-catalog");
  if (manifests !== undefined) {
    words.push("--trusted-catalog", home.writeCatalog("trusted", manifests), "--allow-private-host", "127.0.0.1");
  }
  const environment = { ...(bundled && BUNDLED_CATALOG), ...(await storeSettings(home)), ...options.environment };
  const program = spawnProgram([...words, ...args], { ...options, home, environment }, { killOnHang: false });
  const dispose = async () => {
    program.child.kill("SIGKILL");
    await program.exited;
    if (options.home === undefined) home[Symbol.dispose]();
  };
  try {
    const ready = await untilReady(program);
    const key = (await readLocalDaemonFile(home.configDir, home.dataDir))?.key ?? "";
    return {
      home,
      ready,
      url: ready.url,
      registryUrl: ready.registryUrl,
      pid: ready.pid,
      childPid: program.child.pid,
      key,
      stdout: program.stdout,
      stderr: program.stderr,
      exited: program.exited,
      async kill(signal = "SIGTERM") {
        program.child.kill(signal);
        const timer = setTimeout(() => program.child.kill("SIGKILL"), hangMs);
        return await program.exited.finally(() => clearTimeout(timer));
      },
      request: askWith(ready.url, key),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface RunningProgram {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<MktOutcome>;
}

function spawnProgram(args: readonly string[], options: SpawnOptions, { killOnHang = true } = {}): RunningProgram {
  const { home, environment = {}, stdin, cwd, shellLine, program: script = mktProgram, killAfterMs = hangMs } = options;
  const shell = shellLine === undefined ? [] : ["sh", "-c", `${shellLine}; exec "$@"`, "sh"];
  const [program = process.execPath, ...words] = [...shell, process.execPath, script, ...args];
  const child = spawn(program, words, {
    env: { ...home.environment, ...environment },
    cwd: cwd ?? home.path,
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  running.add(child);
  child.stdin?.end(stdin);
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  const timer = killOnHang ? setTimeout(() => child.kill("SIGKILL"), killAfterMs) : undefined;
  const exited = new Promise<MktOutcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code, signal, stdout: textOf(stdout)(), stderr: textOf(stderr)() });
    });
  });
  return { child, stdout: textOf(stdout), stderr: textOf(stderr), exited };
}

async function untilReady({ child, stdout, exited }: RunningProgram): Promise<ReadyLine> {
  const firstLine = new Promise<void>((resolve) => {
    child.stdout?.on("data", () => {
      if (stdout().includes("\n")) resolve();
    });
  });
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the daemon was not ready within ${hangMs} ms`)), hangMs);
  });
  const ended = exited.then(({ code, stderr }) => {
    throw new Error(`the daemon ended with ${code} before it was ready: ${stderr}`);
  });
  ended.catch(() => {});
  try {
    await Promise.race([firstLine, ended, tooLong]);
  } finally {
    clearTimeout(timer);
  }
  return JSON.parse(stdout().split("\n")[0] ?? "") as ReadyLine;
}

function textOf(chunks: readonly Buffer[]): () => string {
  return () => Buffer.concat(chunks).toString("utf8");
}
