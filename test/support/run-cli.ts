import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli, type RunCliOptions } from "../../cli/main.ts";
import { tempDir } from "./temp-dir.ts";

export interface CliOutcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CliSurroundings extends Partial<Omit<RunCliOptions, "env" | "stdin" | "isTty">> {
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /** Whether all three streams are a terminal, or which of them are. */
  tty?: boolean | RunCliOptions["isTty"];
}

/** Runs `mkt` in this process with streams of its own, no local daemon, and no terminal unless asked for. */
export async function runMkt(argv: readonly string[], surroundings: CliSurroundings = {}): Promise<CliOutcome> {
  const { env = {}, stdin = "", tty = false, ...others } = surroundings;
  const stdout = new TextSink();
  const stderr = new TextSink();
  using places = env["MKT_DATA_DIR"] !== undefined && env["MKT_CONFIG_DIR"] !== undefined ? undefined : tempDir();
  const exitCode = await runCli(argv, {
    version: "0.1.0",
    env: {
      ...(places !== undefined && {
        MKT_DATA_DIR: join(places.path, "data"),
        MKT_CONFIG_DIR: join(places.path, "config"),
      }),
      MKT_NO_AUTOSTART: "1",
      ...env,
    },
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    isTty: typeof tty === "boolean" ? { stdin: tty, stdout: tty, stderr: tty } : tty,
    columns: 80,
    selfCommand: [],
    onInterrupt: () => () => {},
    ...others,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** A stream that keeps what is written to it. */
export class TextSink extends Writable {
  #chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

/** The JSON values of lines, such as JSONL on stdout. */
export function jsonLines(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The last line of a text. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

/** A keyboard on which Ctrl-C can be pressed. */
export function ctrlC(): { press(): void; onInterrupt(listener: () => void): () => void } {
  const listeners = new Set<() => void>();
  return {
    press() {
      for (const listener of listeners) listener();
      listeners.clear();
    },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
