import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { findProblems } from "../../../daemon/import/composing/drop-unusable.ts";
import { ImportRefused } from "../../../daemon/import/conversion/imported-provider.ts";
import { convertOpenApi } from "../../../daemon/import/openapi/convert-openapi.ts";
import { readDescriptionFile } from "../../../daemon/import/documents/read-description.ts";
import { effort } from "../../support/effort.ts";

/** The short form leaves out the few documents that are larger. */
const LARGEST_BYTES = effort(1_000_000, Number.POSITIVE_INFINITY);
const folder = resolve("..", "shared", "openapi-samples");
const index = resolve(folder, "index.json");
const samples = existsSync(index)
  ? (
      JSON.parse(readFileSync(index, "utf8")) as {
        file: string;
        entry?: string;
        operations: number;
        broken: string | null;
      }[]
    ).filter(({ file, entry }) => statSync(resolve(folder, entry ?? file)).size <= LARGEST_BYTES)
  : [];
const CHOICES = { includeTags: [], includeOperations: [], allOperations: true };
/** A bound against hanging, ten times what the largest takes on a slow machine. */
const HANG_MS = 300_000;
/** No operation of their own, or all of it in files that are not there. */
const EMPTY = new Set(["surevoip-1.yaml", "wikimedia-project-wikipedia-1.yaml", "broken-wild-malicious-names-3.json"]);

describe.skipIf(samples.length === 0)("the documents beside the project (skipped where ../shared is absent)", () => {
  test.each(samples.map((sample) => [sample.entry ?? sample.file, sample] as const))(
    "%s becomes a provider that the catalog takes, or is refused in words",
    { timeout: HANG_MS },
    async (file, { broken, operations }) => {
      const outcome = await readDescriptionFile(resolve(folder, file)).then(
        (description) => tryConvert(() => convertOpenApi(description, CHOICES)),
        (error: unknown) => error,
      );

      if (outcome instanceof ImportRefused) {
        expect(outcome.message.length).toBeGreaterThan(20);
        expect(broken !== null || EMPTY.has(file)).toBe(true);
        return;
      }
      if (outcome instanceof Error) throw outcome;
      const { manifest, skipped } = outcome as ReturnType<typeof convertOpenApi>;
      expect(findProblems(manifest)).toEqual([]);
      expect(Object.keys(manifest.endpoints).length + skipped.length).toBeGreaterThanOrEqual(operations);
    },
  );
});

function tryConvert<T>(convert: () => T): T | ImportRefused {
  try {
    return convert();
  } catch (error) {
    if (error instanceof ImportRefused) return error;
    throw error;
  }
}
