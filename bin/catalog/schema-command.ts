import { writeFile } from "node:fs/promises";
import { refusedInput } from "../../cli/core/cli-error.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";

interface SchemaFlags {
  readonly out?: string;
  readonly route?: true;
}

export function schemaCommand(context: CliContext): Command {
  return new Command("schema")
    .summary("Print the JSON Schema of provider files")
    .description("Print the JSON Schema of provider files, for completion and checks in an editor")
    .option("--out <file>", "write it to this file")
    .option("--route", "the schema of route files instead")
    .examples("mkt catalog schema --out mkt-schema.json", "mkt catalog schema > mkt-schema.json")
    .addHelpText(
      "after",
      "\nAs the first line of a provider file, for editors with the YAML language server:" +
        "\n  # yaml-language-server: $schema=./mkt-schema.json" +
        '\nIn a JSON file, as its first member:\n  "$schema": "./mkt-schema.json"' +
        "\n\nThe schema covers the shape of a file; mkt catalog check also checks how its parts fit together." +
        "\nEvery field and every rule is described in docs/manifest.md, and those of routes in docs/routes.md.",
    )
    .action(async ({ out, route }: SchemaFlags) => {
      const schema = await readSchema(route === true);
      const text = `${JSON.stringify(schema, undefined, 2)}\n`;
      if (out === undefined) return context.output.report(schema, text);
      await writeSchema(out, text);
      await context.output.note(
        `Wrote ${out}; begin a ${route ? "route" : "provider"} file with # yaml-language-server: $schema=${out}`,
      );
    });
}

async function readSchema(ofRoutes: boolean): Promise<Readonly<Record<string, unknown>>> {
  if (ofRoutes) return (await import("../../daemon/manifest/route-file.ts")).routeFileJsonSchema();
  return (await import("../../daemon/manifest/manifest-schema.ts")).manifestJsonSchema();
}

async function writeSchema(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw refusedInput(`${file} cannot be written: ${(error as Error).message}`);
  }
}
