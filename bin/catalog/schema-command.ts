import { writeFile } from "node:fs/promises";
import { refusedInput } from "../../cli/core/cli-error.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";

interface SchemaFlags {
  readonly out?: string;
}

export function schemaCommand(context: CliContext): Command {
  return new Command("schema")
    .summary("Print the JSON Schema of provider files")
    .description("Print the JSON Schema of provider files, for completion and checks in an editor")
    .option("--out <file>", "write it to this file")
    .examples("mkt catalog schema --out mkt-schema.json", "mkt catalog schema > mkt-schema.json")
    .addHelpText(
      "after",
      "\nAs the first line of a provider file, for editors with the YAML language server:" +
        "\n  # yaml-language-server: $schema=./mkt-schema.json" +
        '\nIn a JSON file, as its first member:\n  "$schema": "./mkt-schema.json"' +
        "\n\nThe schema covers the shape of a file; mkt catalog check also checks how its parts fit together." +
        "\nEvery field and every rule is described in docs/manifest.md.",
    )
    .action(async ({ out }: SchemaFlags) => {
      const { manifestJsonSchema } = await import("../../daemon/manifest/manifest-schema.ts");
      const schema = manifestJsonSchema();
      const text = `${JSON.stringify(schema, undefined, 2)}\n`;
      if (out === undefined) return context.output.report(schema, text);
      await writeSchema(out, text);
      await context.output.note(`Wrote ${out}; begin a provider file with # yaml-language-server: $schema=${out}`);
    });
}

async function writeSchema(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw refusedInput(`${file} cannot be written: ${(error as Error).message}`);
  }
}
