import { checkKey, keyIn, readKeyFile } from "../connection/api-key.ts";
import { askUnseen } from "../input/ask.ts";
import type { CliContext } from "../command/context.ts";
import { usageError } from "../core/cli-error.ts";
import { readAll } from "../input/read-input.ts";

export interface KeyFlags {
  keyStdin?: true;
}

export const keyStdinFlag = ["--key-stdin", "read the API key from standard input"] as const;

/**
 * The key to store: from `--key-file`, from standard input with `--key-stdin`, else typed unseen at a terminal. Undefined
 * where there is no terminal, and where nothing was typed at the `question`. Rejects with a usage error for both flags at once.
 */
export async function readGivenKey(
  context: CliContext,
  { keyStdin }: KeyFlags,
  question: string,
): Promise<string | undefined> {
  const { io, flags } = context;
  if (flags.keyFile !== undefined) {
    if (keyStdin) throw usageError("The key comes from --key-file or from --key-stdin, not from both.");
    return await readKeyFile(flags.keyFile);
  }
  if (keyStdin) return keyIn(await readAll(io.stdin), "Standard input");
  if (!canAsk(context)) return undefined;
  const typed = (await askUnseen(io, question)).trim();
  return typed === "" ? undefined : checkKey(typed, "What you typed");
}

/** Whether a person can be asked. docs/command-line.md, "Without a terminal". */
export function canAsk({ io, flags }: CliContext): boolean {
  return flags.input && io.isTty.stdin && io.isTty.stderr;
}
