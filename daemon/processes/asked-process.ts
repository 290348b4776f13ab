import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Duplex, Readable, Writable } from "node:stream";
import { serialize } from "node:v8";
import { FrameReader, toFrame } from "./frames.ts";
import { LAST_WORDS, QUESTIONS } from "./reader-descriptors.ts";
import type { Answered } from "./serve-questions.ts";

export interface ReaderLimits {
  /** For one question. */
  readonly timeoutMs: number;
  /** The memory for a document, in addition to what the reader itself needs. */
  readonly memoryMegabytes: number;
}

/** A built script, CommonJS: the path of its file, which is read when it is started, or its text. */
export type ReaderScript = string | Uint8Array;

export interface ReaderOptions {
  readonly script: ReaderScript;
  readonly limits: ReaderLimits;
  /** Whether it reads files itself; otherwise it receives their content. It never writes any. */
  readonly readsFiles: boolean;
}

/**
 * Why a reader gave no answer. `ended`: the process ended, by itself or because somebody killed it; this may be
 * temporary.
 */
export class ReaderFailed extends Error {
  override readonly name = "ReaderFailed";
  readonly why: "time" | "memory" | "ended" | "failed";

  constructor(why: ReaderFailed["why"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

/** Node with a script and its guard, before it has read anything: about 75 MB were measured. */
const OWN_MEGABYTES = 160;
/** For one answer, which the calling process reads at once. The largest file that is read produces a third of it. */
const LARGEST_ANSWER_BYTES = 128 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/** The end of its error output, for the message when it could not be started. */
const MOST_SAID = 300;

/**
 * A process that answers one question after the other and starts with the first. The questions are about untrusted
 * documents, and a heap overflow ends the whole process. So it is a separate process, without anything valuable in it
 * and with limits of time and memory. If it exceeds them it is killed; the next question gets a new process.
 * docs/security.md, T27.
 */
export class AskedProcess {
  readonly #options: ReaderOptions;
  #process: Promise<ReaderProcess> | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Starts the process before the first question, while its caller still prepares it. A failure is told by `ask`. */
  start(): void {
    this.#process ??= ReaderProcess.start(this.#options);
    this.#process.catch(() => {});
  }

  /** The answer as JSON has it. Throws ReaderFailed. Must not be called again before it has answered. */
  async ask(question: unknown): Promise<unknown> {
    this.#process ??= ReaderProcess.start(this.#options);
    try {
      const asked = await this.#process;
      return await asked.ask(question);
    } catch (error) {
      if (!(error instanceof ReaderFailed) || error.why !== "failed") await this.close();
      throw error;
    }
  }

  /** Resolves when the process is gone, including one that was just being started. */
  async close(): Promise<void> {
    const started = this.#process;
    this.#process = undefined;
    const asked = await started?.catch(() => undefined);
    await asked?.end();
  }
}

class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #limits: ReaderLimits;
  readonly #line: Duplex;
  readonly #gone: Promise<void>;
  #frames = new FrameReader(LARGEST_ANSWER_BYTES);
  #failure: ReaderFailed | undefined;
  #saidTooMuch = false;
  #said = "";
  #settle: { resolve(answer: unknown): void; reject(error: ReaderFailed): void } | undefined;

  private constructor(child: ChildProcess, limits: ReaderLimits, script: Uint8Array) {
    this.#child = child;
    this.#limits = limits;
    this.#line = child.stdio[QUESTIONS] as Duplex;
    this.#gone = new Promise((resolve) => {
      child.once("error", (error) => {
        this.#fail(
          new ReaderFailed("ended", `no process could be started to read it: ${error.message}`, { cause: error }),
        );
        resolve();
      });
      child.once("exit", (code, signal) => {
        this.#fail(this.#whyEnded(code, signal));
        resolve();
      });
    });
    const { stdin, stderr } = child as { readonly stdin: Writable; readonly stderr: Readable };
    const lastWords = child.stdio[LAST_WORDS] as Duplex;
    // The exit event reports that it has gone.
    for (const stream of [stdin, stderr, this.#line, lastWords]) stream.on("error", () => {});
    this.#line.on("data", (piece: Buffer) => this.#take(piece));
    lastWords.on("data", () => void (this.#saidTooMuch = true));
    stderr.on("data", (piece: Buffer) => {
      if (this.#said.length < MOST_SAID) this.#said += piece.toString("latin1").slice(0, MOST_SAID);
    });
    stdin.end(script);
  }

  static async start({ script, limits, readsFiles }: ReaderOptions): Promise<ReaderProcess> {
    const text = typeof script === "string" ? await readFile(script) : script;
    const most = (limits.memoryMegabytes + OWN_MEGABYTES) * MEGABYTE;
    const heap = `--max-old-space-size=${limits.memoryMegabytes}`;
    let child: ChildProcess;
    try {
      child = spawn(ownProgram(), [heap, ...permissionFlags(readsFiles), "-", String(most), String(process.pid)], {
        cwd: "/",
        env: neededEnvironment(),
        stdio: ["pipe", "ignore", "pipe", "pipe", "pipe"],
        windowsHide: true,
      });
    } catch (error) {
      throw new ReaderFailed("ended", `no process could be started to read it: ${String(error)}`, { cause: error });
    }
    return new ReaderProcess(child, limits, text);
  }

  async ask(question: unknown): Promise<unknown> {
    const { timeoutMs } = this.#limits;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<unknown>((resolve, reject) => {
        if (this.#failure !== undefined) return reject(this.#failure);
        this.#settle = { resolve, reject };
        timer = setTimeout(() => {
          this.#fail(new ReaderFailed("time", `it takes longer than ${timeoutMs / 1_000} s`));
        }, timeoutMs);
        for (const part of toFrame(serialize(question))) this.#line.write(part);
      });
    } finally {
      clearTimeout(timer);
      this.#settle = undefined;
    }
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#gone;
  }

  #take(piece: Buffer): void {
    try {
      for (const message of this.#frames.take(piece)) {
        const answered = JSON.parse(
          Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString(),
        ) as Answered;
        if ("failed" in answered) this.#settle?.reject(new ReaderFailed("failed", answered.failed));
        else this.#settle?.resolve(answered.answer);
      }
    } catch (error) {
      const megabytes = LARGEST_ANSWER_BYTES / MEGABYTE;
      const isTooLarge = error instanceof RangeError;
      const words = isTooLarge ? `its content takes more than ${megabytes} MB` : "its result is not valid";
      this.#fail(new ReaderFailed(isTooLarge ? "memory" : "ended", words, { cause: error }));
    }
  }

  #fail(failure: ReaderFailed): void {
    this.#failure ??= failure;
    this.#settle?.reject(this.#failure);
  }

  #whyEnded(code: number | null, signal: NodeJS.Signals | null): ReaderFailed {
    if (this.#saidTooMuch || signal === "SIGABRT" || code === ABORTED) {
      return new ReaderFailed("memory", `it takes more memory than ${this.#limits.memoryMegabytes} MB`);
    }
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const [said = ""] = this.#said.split("\n");
    return new ReaderFailed("ended", `the process that read it was ended ${how}${said === "" ? "" : `: ${said}`}`);
  }
}

/** The exit code of an aborted process on systems without signals: V8 aborts when its heap is full. */
const ABORTED = 134;

/** The Node that runs this process, even if its file was replaced by now. */
function ownProgram(): string {
  const running = "/proc/self/exe";
  return process.platform === "linux" && existsSync(running) ? running : process.execPath;
}

/** Only what Node itself may need to start: no secrets, no Node options. */
function neededEnvironment(): NodeJS.ProcessEnv {
  const needed = ["SystemRoot", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];
  return Object.fromEntries(
    needed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** Additional protection: no child processes, no add-ons, no writing of files, and reading only if that is its work. */
function permissionFlags(readsFiles: boolean): string[] {
  const isStable = process.allowedNodeEnvironmentFlags.has("--permission");
  return [
    isStable ? "--permission" : "--experimental-permission",
    "--allow-worker",
    "--no-warnings",
    ...(readsFiles ? ["--allow-fs-read=*"] : []),
  ];
}
