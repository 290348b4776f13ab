import { Invocation } from "../../cli/invocation.ts";
import { processIo } from "../../cli/core/cli-io.ts";
import { createProgram } from "../../cli/program.ts";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";

interface CommandLike {
  readonly commands: readonly CommandLike[];
  readonly options: readonly { readonly long?: string | undefined; readonly short?: string | undefined }[];
  name(): string;
  aliases(): readonly string[];
}

/** What is wrong with the lines of a script that begin with `mkt`: commands and flags that there are not. */
export async function unknownWords(script: string): Promise<string[]> {
  const program: CommandLike = await createProgram(new Invocation(processIo("0.1.0"), []), (whole, context) =>
    mountDaemonCommands(whole, context, { version: "0.1.0", startedAtMs: 0 }),
  );
  const lines = script.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) => {
    const [, words] = /(?:^|[;&|(]\s*|\bsudo (?:-u \S+ )?)(?:\S+\/)?mkt ([^;&|)>]*)/.exec(line.trim()) ?? [];
    return words === undefined ? [] : unknownIn(words.split(/\s+/), program);
  });
}

function unknownIn(words: readonly string[], program: CommandLike): string[] {
  const path = [program];
  for (const word of words) {
    const last = path.at(-1) ?? program;
    const next = last.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (next !== undefined) path.push(next);
  }
  const known = path.flatMap((command) => [...command.options, ...command.commands.flatMap(({ options }) => options)]);
  const flags = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split("=")[0]);
  const unknown = flags.filter(
    (flag) =>
      !["--help", "-h"].includes(flag ?? "") && !known.some(({ long, short }) => flag === long || flag === short),
  );
  const isCommand = path.length > 1 || words[0]?.startsWith("-") === true;
  return [
    ...(isCommand ? [] : [`mkt ${words[0]} is no command`]),
    ...unknown.map((flag) => `mkt ${words.join(" ")}: ${flag} is not known`),
  ];
}
