import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { vi } from "vitest";
import { quoteWord } from "../../shared/hints/shell-words.ts";
import { mktProgram } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Whether this machine has tmux; tests that need it are skipped, visibly, where not. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** No screen takes nearly so long. */
const hangMs = 20_000;
const lookEveryMs = 50;

export interface PaneOptions {
  readonly columns: number;
  readonly rows: number;
  /** The whole environment of what runs in it; TERM is that of the terminal unless it is here. */
  readonly environment: Readonly<Record<string, string>>;
  /** File that gets every byte that what runs there writes. */
  readonly recordTo?: string;
}

export interface Frame {
  /** What is on the screen. */
  readonly text: string;
  /** The same with the escape sequences of its colours. */
  readonly colored: string;
  /** The same with the lines whole that were written whole, and that the terminal broke at its edge. */
  readonly unbroken: string;
}

export interface Pane {
  frame(): Promise<Frame>;
  /** Waits until the screen has the text. Rejects, with what is there, when it does not come. */
  until(text: string | RegExp): Promise<Frame>;
  /** Presses keys by tmux's names, each on its own. */
  press(...keys: readonly string[]): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Sends a signal to what was started. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Waits until what was started has ended, and gives its exit code. */
  ended(): Promise<number>;
  /** Whether the screen is the one that was there at first, with a cursor on it. */
  isGivenBack(): Promise<boolean>;
}

/** Terminals without a person, on a server of their own. */
export interface Terminals extends AsyncDisposable {
  /** Starts `mkt` in a new terminal, to look at it and press keys. */
  start(words: readonly string[], options: PaneOptions): Promise<Pane>;
  /** Runs `mkt` in a new terminal and gives what is on it at the end, which must be a good one. */
  show(words: readonly string[], options: PaneOptions): Promise<Frame>;
}

/** The last of each recording, behind all that the program wrote: so it is known to be whole. */
const RECORDED = "[recorded]";

const settings = ["set -g status off", "set -g default-terminal screen-256color", "set -s escape-time 0"];

/** Opens a server of tmux that knows nothing of the user's settings. */
export function openTerminals(): Terminals {
  const folder = tempDir();
  const [socket, config] = [join(folder.path, "socket"), join(folder.path, "tmux.conf")];
  writeFileSync(config, `${settings.join("\n")}\n`);
  const run = promisify(execFile);
  const tmux: Tmux = async (...words) =>
    (await run("tmux", ["-u", "-f", config, "-S", socket, ...words], { timeout: hangMs })).stdout;
  let count = 0;

  const start: Terminals["start"] = async (words, options) => {
    const name = `pane${count++}`;
    const { columns, rows, recordTo } = options;
    const exitFile = join(folder.path, name);
    const waitFor = `tmux -S ${quoteWord(socket)} wait-for`;
    // Nothing begins before the recording does, and the terminal stays when all has ended.
    const told = `printf %d $? > ${quoteWord(exitFile)}; ${recordTo === undefined ? "" : `printf ${quoteWord(RECORDED)}; `}`;
    const line = `${waitFor} ${name}-start; ${commandLine(words, options)}; ${told}${waitFor} -S ${name}-end; cat`;
    await tmux("new-session", "-d", "-s", name, "-x", String(columns), "-y", String(rows), line);
    if (recordTo !== undefined) await tmux("pipe-pane", "-t", name, `cat > ${quoteWord(recordTo)}`);
    await tmux("wait-for", "-S", `${name}-start`);
    return paneOf(name, tmux, { exitFile, recordTo });
  };

  return {
    start,
    async show(words, options) {
      const pane = await start(words, options);
      const [exitCode, frame] = [await pane.ended(), await pane.frame()];
      if (exitCode !== 0) throw new Error(`mkt ${words.join(" ")} ended with ${exitCode}:\n${frame.text}`);
      return frame;
    },
    async [Symbol.asyncDispose]() {
      await tmux("kill-server").catch(() => {});
      folder[Symbol.dispose]();
    },
  };
}

type Tmux = (...words: readonly string[]) => Promise<string>;

interface PaneFiles {
  readonly exitFile: string;
  readonly recordTo: string | undefined;
}

function paneOf(name: string, tmux: Tmux, { exitFile, recordTo }: PaneFiles): Pane {
  const capture = async (...flags: readonly string[]) => await tmux("capture-pane", "-p", ...flags, "-t", name);
  const frame = async (): Promise<Frame> => ({
    text: await capture(),
    colored: await capture("-e"),
    unbroken: await capture("-J"),
  });
  return {
    frame,
    async until(text) {
      const patience = Date.now() + hangMs;
      for (;;) {
        const found = await frame();
        if (typeof text === "string" ? found.text.includes(text) : text.test(found.text)) return found;
        if (Date.now() > patience) throw new Error(`${String(text)} did not come:\n${found.text}`);
        await delay(lookEveryMs);
      }
    },
    async press(...keys) {
      for (const key of keys) {
        await tmux("send-keys", "-t", name, key);
        // Two that come in one piece are another key to some programs.
        await delay(lookEveryMs);
      }
    },
    async resize(columns, rows) {
      await tmux("resize-window", "-t", name, "-x", String(columns), "-y", String(rows));
    },
    async kill(signal) {
      const shell = await tmux("display-message", "-p", "-t", name, "#{pane_pid}");
      const { stdout } = await promisify(execFile)("ps", ["-o", "pid=", "--ppid", shell.trim()]);
      process.kill(Number(stdout.trim().split("\n")[0]), signal);
    },
    async isGivenBack() {
      return (await tmux("display-message", "-p", "-t", name, "#{alternate_on} #{cursor_flag}")).trim() === "0 1";
    },
    async ended() {
      await tmux("wait-for", `${name}-end`);
      // What was written goes to the recording through the server and another process, in its own time.
      if (recordTo !== undefined)
        await vi.waitUntil(() => isRecorded(recordTo), { timeout: hangMs, interval: lookEveryMs });
      return Number(readFileSync(exitFile, "utf8"));
    },
  };
}

function isRecorded(path: string): boolean {
  return existsSync(path) && readFileSync(path, "utf8").endsWith(RECORDED);
}

function commandLine(words: readonly string[], { environment }: PaneOptions): string {
  const variables = Object.entries({ TERM: "screen-256color", ...environment }).map(
    ([name, value]) => `${name}=${value}`,
  );
  return ["env", "-i", ...variables, process.execPath, mktProgram, ...words].map((word) => quoteWord(word)).join(" ");
}
