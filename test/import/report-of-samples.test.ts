import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importCatalog } from "../../daemon/import/import-catalog.ts";
import { InProcessImporter } from "../../daemon/import/in-process-importer.ts";
import { renderImportReport } from "../../daemon/import/render-import-report.ts";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { starterCatalogDir } from "../support/bundled-catalog.ts";
import { effort, isLong } from "../support/effort.ts";
import { tempDir } from "../support/temp-dir.ts";
import { thirdOfSamples } from "../support/third-of-samples.ts";

const samples = fileURLToPath(new URL("../../../shared/openapi-samples", import.meta.url));
const tooLongMs = 600_000;
/** The short form imports larger documents once. */
const LARGEST_BYTES = effort(200_000, Number.POSITIVE_INFINITY);

test.skipIf(!existsSync(samples))(
  "every document of the samples beside the project is imported or refused in words, and the check has nothing against it",
  { timeout: tooLongMs },
  async () => {
    using folder = tempDir();
    const out = join(folder.path, "catalog");

    const request = {
      named: isLong ? [samples] : thirdOfSamples(documents()).map((name) => join(samples, name)),
      out,
      choices: {},
      mcp: false,
      dryRun: false,
      access: { allowPrivateHosts: new Set<string>() },
      today: "2026-11-21",
    };
    const parts = { importer: new InProcessImporter(), bundledDir: starterCatalogDir() };

    const report = await importCatalog(request, parts);
    const repeated = report.documents.map(({ file }) => file).filter((file) => statSync(file).size <= LARGEST_BYTES);
    const again = await importCatalog({ ...request, named: repeated }, parts);

    process.stderr.write(renderImportReport(report, (...words) => `mkt ${words.join(" ")}`));
    const check = await checkCatalog({ paths: [out], defaults: [], bundledDir: starterCatalogDir() });
    const rules = report.documents.flatMap(({ error }) => (error === undefined ? [] : [error.rule]));
    expect(rules).not.toContain("unforeseen");
    expect(rules).not.toContain("unusable");
    expect(report.imported).toBeGreaterThan(0);
    expect(check.files).toHaveLength(report.imported);
    expect(check.problems).toEqual([]);
    expect(again.documents).toHaveLength(repeated.length);
    expect(again.documents.filter(({ summary }) => summary?.changed === true)).toEqual([]);
  },
);

/** All that the folder holds but the words about it; the long form names the folder, and has them passed over. */
function documents(): readonly string[] {
  return readdirSync(samples).filter((name) => name !== "index.json" && name !== "README.md");
}
