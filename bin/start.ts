import { fileURLToPath } from "node:url";
import { processIo } from "../cli/core/cli-io.ts";
import { completionDoor } from "../cli/completion/completion-door.ts";
import { exitCodes } from "../cli/core/exit-codes.ts";
import { runCli } from "../cli/main.ts";
import type { Mount } from "../cli/program.ts";
import type { DaemonCommandFacts } from "./daemon-commands.ts";

/**
 * Runs the CLI, or its entry point for shell completion; loads the daemon's commands only when needed. Returns the exit
 * code.
 */
export async function start(words: readonly string[], facts: DaemonCommandFacts): Promise<number> {
  const mount: Mount = async (program, context) =>
    (await import("./daemon-commands.ts")).mountDaemonCommands(program, context, facts);
  if (words[0] !== completionDoor) return await runCli(words, { version: facts.version, mount });
  const { answerCompletion } = await import("../cli/answer-completion.ts");
  const programPath = fileURLToPath(import.meta.url);
  await answerCompletion(words.slice(1), { io: processIo(facts.version), programPath, mount });
  return exitCodes.delivered;
}
