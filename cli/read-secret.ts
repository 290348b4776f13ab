import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CliError, refusedInput, usageError } from "./cli-error.ts";
import type { CliContext } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { readAll } from "./read-input.ts";
import { sanitizeText } from "./sanitize.ts";

/**
 * A secret from standard input, never from the command line, which others can read: what is piped in, without the line break
 * at its end; at a terminal what is typed, which is not shown. Rejects with refused input when nothing came.
 */
export async function readSecret(context: CliContext, name: string): Promise<string> {
  const { io } = context;
  const text = io.isTty.stdin ? await typed(context, name) : await readAll(io.stdin);
  const secret = text.replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw refusedInput(`The value of ${name} comes over standard input, and nothing came.`, `mkt secrets set ${name}`);
}

async function typed({ io, flags }: CliContext, name: string): Promise<string> {
  if (!flags.input) throw usageError(`The value of ${name} must be piped in, because --no-input asks nobody.`);
  io.stderr.write(sanitizeText(`Value of ${name} (not shown): `));
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output: unseen, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => reject(new CliError(exitCodes.interrupted, "Nothing was changed.")));
      lines.once("close", () => resolve(""));
    });
  } finally {
    lines.close();
    io.stderr.write("\n");
  }
}
