import { join } from "node:path";
import { replaceFile } from "../../shared/replace-file.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { parseFilled } from "../flags/option-values.ts";

export function skillCommand(context: CliContext): Command {
  return new Command("skill")
    .description("Print a SKILL.md that teaches agents this command line")
    .examples("mkt skill", "mkt skill --install ~/.claude/skills --dry-run")
    .option(
      "--install <dir>",
      "write it to mkt/SKILL.md in this folder of skills; an older one is replaced",
      parseFilled,
    )
    .option("--dry-run", "with --install: say where it would go, and write nothing")
    .action(async ({ install, dryRun }: { install?: string; dryRun?: true }) => {
      const { renderSkill } = await import("./render-skill.ts");
      const program = await context.wholeProgram?.();
      const text = program === undefined ? "" : renderSkill(program);
      if (install === undefined) return await context.output.text(text);
      const path = join(install, "mkt", "SKILL.md");
      if (!dryRun) await replaceFile(path, text);
      await context.output.note(`${dryRun ? "Would write" : "Wrote"} ${Buffer.byteLength(text)} bytes to ${path}`);
    });
}
