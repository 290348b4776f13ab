import { askUnseen } from "../input/ask.ts";
import { refusedInput, usageError } from "../core/cli-error.ts";
import type { CliContext } from "../command/context.ts";
import { readAll } from "../input/read-input.ts";

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
  return await askUnseen(io, `Value of ${name} (not shown): `);
}
