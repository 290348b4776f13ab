import type { Readable, Writable } from "node:stream";
import type { Environment } from "../../shared/places.ts";

/** Everything the CLI touches of the process it runs in; tests pass their own. */
export interface CliIo {
  readonly env: Environment;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly isTty: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Width of the terminal. */
  readonly columns: number;
  readonly version: string;
  /** The words that start this program again, to run a daemon in the background. */
  readonly selfCommand: readonly string[];
  /** Calls the listener at the next Ctrl-C, once, instead of ending the process. Returns a function that removes it. */
  onInterrupt(listener: () => void): () => void;
}

/** The io of this process. */
export function processIo(version: string): CliIo {
  const { stdout, stderr } = process;
  return {
    env: process.env,
    // To look at it is to open it, which most calls need not wait for.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    isTty: {
      get stdin() {
        return process.stdin.isTTY === true;
      },
      stdout: stdout.isTTY === true,
      stderr: stderr.isTTY === true,
    },
    columns: stdout.columns || 80,
    version,
    selfCommand: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)],
    // Once: the second Ctrl-C finds no listener, so Node's own answer to it ends the process at once.
    onInterrupt(listener) {
      process.once("SIGINT", listener);
      return () => process.off("SIGINT", listener);
    },
  };
}
