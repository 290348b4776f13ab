import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Option } from "commander";
import { refusedInput, usageError } from "../../cli/core/cli-error.ts";
import { Command } from "../../cli/command/command.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { collect } from "../../cli/flags/option-values.ts";
import { priceWords } from "../../shared/words/price-words.ts";
import { toSafeJson } from "../../cli/terminal/sanitize.ts";
import { countWords } from "../../shared/count-words.ts";
import type { ExportedCatalog } from "../../daemon/export/exported-catalog.ts";
import { ownCatalogDir } from "../offline-command.ts";
import { bundledFolders } from "./bundled-folders.ts";
import { readerScript } from "./reader-script.ts";

interface ExportFlags {
  readonly format: "openapi" | "mcp";
  readonly provider?: readonly string[];
  readonly serverUrl: string;
  readonly out?: string;
}

const DEFAULT_SERVER_URL = "http://127.0.0.1:7717";

export function exportCommand(context: CliContext, bundledCatalogDir: string): Command {
  return new Command("export")
    .summary("Describe the catalog as OpenAPI 3.1 or as MCP tools")
    .description("Describe the catalog to other programs, with prices, as OpenAPI 3.1 or as a list of MCP tools")
    .argument("[paths...]", "files or folders (default: the bundled catalog and that of the configuration)")
    .addOption(new Option("--format <format>", "what to write").choices(["openapi", "mcp"]).default("openapi"))
    .option("--provider <slug>", "only this provider (repeatable)", collect)
    .option("--server-url <url>", "address of the daemon for readers of the document", DEFAULT_SERVER_URL)
    .option("--out <file>", "write it to this file")
    .examples("mkt catalog export --out catalog.openapi.json", "mkt catalog export --format mcp --provider atlas")
    .addHelpText(
      "after",
      "\nTo call a tool: POST /v1/run with provider and endpoint from its _meta, and its arguments as input.",
    )
    .action(async (paths: string[], flags: ExportFlags) => {
      checkServerUrl(flags.serverUrl);
      const { readExportedCatalog } = await import("../../daemon/export/exported-catalog.ts");
      const catalog = await readExportedCatalog({
        paths,
        providers: flags.provider ?? [],
        ownerPricesFile: join(context.places.configDir, "prices.yaml"),
        defaults: [
          { dir: bundledCatalogDir, bundled: true, trusted: true },
          { dir: ownCatalogDir(context), replacesBundled: true, optional: true },
        ],
        ...bundledFolders(bundledCatalogDir),
        readerScript,
      });
      if (catalog.leftOut > 0) {
        await context.output.note(`Left out for their problems: ${catalog.leftOut}; see mkt catalog check`);
      }
      const description = await describe(catalog, flags);
      const text = `${toSafeJson(description, 2)}\n`;
      if (flags.out === undefined) return await context.output.report(description, text);
      await write(flags.out, text);
      await context.output.note(`Wrote ${flags.out}: ${countWords(catalog.entries.length, "endpoint")}`);
    });
}

async function describe(catalog: ExportedCatalog, { format, serverUrl }: ExportFlags): Promise<object> {
  if (format === "mcp") {
    const { exportTools } = await import("../../daemon/export/export-tools.ts");
    return exportTools(catalog, priceWords);
  }
  const { exportOpenApi } = await import("../../daemon/export/export-openapi.ts");
  return exportOpenApi(catalog, { serverUrl: serverUrl.replace(/\/+$/, ""), priceWords });
}

function checkServerUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (isPlain && url.username === "" && url.password === "") return;
  throw usageError(`${JSON.stringify(text)} is not the address of a service, such as ${DEFAULT_SERVER_URL}`);
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw refusedInput(`${file} cannot be written: ${(error as Error).message}`);
  }
}
