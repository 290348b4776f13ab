import { ApiError } from "../../../shared/errors.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import type { CatalogEntry } from "../entries/catalog-entry.ts";
import { checkInput, normalizeInput } from "../input/input-validation.ts";
import { isPlainSchema } from "../input/plain-schema.ts";

/** Checks that loading leaves for later: the schemas of the inputs, and the inputs of the examples. */
export function inspectProvider(
  { entries }: { readonly entries: readonly CatalogEntry[] },
  problems: ProblemList,
): void {
  for (const entry of entries) {
    if (entry.enabled && entry.notRunnable !== undefined) {
      const message = `it can never be run: ${entry.notRunnable}; give it a price of another type, or declare what it creates in resources.provisions`;
      problems.report(["endpoints", entry.path, "price"], "not-runnable", message, "nothing");
    }
    const inputs = entry.examples.length === 0 ? inputsToTry(entry) : entry.examples.map(({ input }) => input);
    inputs.forEach((input, index) => {
      const place = ["endpoints", entry.path, ...(input === undefined ? ["input"] : ["examples", index, "input"])];
      try {
        const result = checkInput(entry, normalizeInput(entry, input));
        if (input === undefined || "input" in result) return;
        problems.report(place, "example", result.problems.map(({ message }) => message).join("; "), "nothing");
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        problems.report(place, "input-schema", error.message, "endpoint");
      }
    });
  }
}

/** Without examples, an empty input makes the schemas compile, if they are of the kind that may fail to. */
function inputsToTry({ input }: CatalogEntry): readonly undefined[] {
  return Object.values(input).every(isPlainSchema) ? [] : [undefined];
}
