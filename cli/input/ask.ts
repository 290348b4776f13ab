import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CliError } from "../core/cli-error.ts";
import type { CliIo } from "../core/cli-io.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { sanitizeText } from "../terminal/sanitize.ts";

/** Asks a person at the terminal for one line; "" when there is none, or when the signal aborts. Rejects at Ctrl-C. */
export async function askLine(io: CliIo, question: string, signal?: AbortSignal): Promise<string> {
  return await readLine(io, question, true, signal);
}

/** As `askLine`, and what is typed is not shown. */
export async function askUnseen(io: CliIo, question: string): Promise<string> {
  const line = await readLine(io, question, false);
  io.stderr.write("\n");
  return line;
}

async function readLine(io: CliIo, question: string, isShown: boolean, signal?: AbortSignal): Promise<string> {
  io.stderr.write(sanitizeText(question));
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = isShown
    ? createInterface({ input: io.stdin, output: io.stderr, terminal: false })
    : createInterface({ input: io.stdin, output: unseen, terminal: true });
  const close = () => lines.close();
  signal?.addEventListener("abort", close, { once: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => reject(new CliError(exitCodes.interrupted, "Nothing was changed.")));
      lines.once("close", () => resolve(""));
    });
  } finally {
    signal?.removeEventListener("abort", close);
    lines.close();
  }
}
