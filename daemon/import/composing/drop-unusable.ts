import type { CatalogProblem, ProblemList } from "../../catalog/problems/catalog-problem.ts";
import { CategoryTree } from "../../catalog/categories/category-tree.ts";
import { isForbiddenKey } from "../../catalog/parsing/catalog-text.ts";
import { inspectProvider } from "../../catalog/checks/inspect-provider.ts";
import { buildProviderFile, type Inspection, type LoadedProvider } from "../../catalog/reading/provider-file.ts";
import {
  type ImportedManifest,
  type ImportedProvider,
  ImportRefused,
  type SkippedOperation,
} from "../conversion/imported-provider.ts";

type Endpoints = ImportedManifest["endpoints"];

/** Removing one problem may reveal another; what still has problems after this many checks is left out. */
const MAX_LOOKS = 4;

/**
 * The problems that `mkt catalog check` will report for a manifest; categories depend on the folder and are not
 * checked.
 */
export function findProblems(manifest: ImportedManifest): CatalogProblem[] {
  const found = check(manifest, inspectDistinct);
  return found.length === 0 ? found : check(manifest, inspectProvider);
}

function check(manifest: ImportedManifest, inspect: Inspection): CatalogProblem[] {
  const source = { file: `${manifest.provider}.yaml`, value: manifest, hash: "", lineOf: () => undefined };
  const tree = new CategoryTree({ tops: [], leaves: [], placements: new Map() });
  const { problems } = buildProviderFile(source, { folder: { dir: "." }, tree, inspect });
  return problems.filter(({ rule }) => rule !== "category");
}

/** Compiling schemas is most of the work, and large documents repeat the same ones. */
function inspectDistinct(loaded: LoadedProvider, problems: ProblemList): void {
  const seen = new Set<string>();
  const entries = loaded.entries.filter(({ input, examples }) => {
    const key = JSON.stringify(input);
    const isNew = examples.length > 0 || !seen.has(key);
    seen.add(key);
    return isNew;
  });
  inspectProvider({ ...loaded, entries }, problems);
}

/**
 * The same provider without what a catalog cannot use: an endpoint that the check refuses is left out and reported with
 * the reason; unsuitable examples are removed on their own. Throws ImportRefused when nothing is left, or when the
 * provider itself is the problem.
 */
export function dropUnusable(imported: ImportedProvider): ImportedProvider {
  let current = withoutForbiddenKeys(imported);
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    refuseNothing(current);
    const problems = findProblems(current.manifest);
    if (problems.length === 0) return current;
    current = withoutProblems(current, problems);
  }
  const [problem] = findProblems(current.manifest);
  if (problem === undefined) return current;
  throw new ImportRefused("unusable", `What came of it is not usable: ${problem.path}: ${problem.message}`);
}

function refuseNothing({ manifest, skipped, notes }: ImportedProvider): void {
  if (Object.keys(manifest.endpoints).length > 0) return;
  const [first] = skipped;
  const why = first === undefined ? (notes[0] ?? "it names no operations") : `${first.operation}: ${first.why}`;
  const number = skipped.length > 1 ? ` (and ${skipped.length - 1} more)` : "";
  throw new ImportRefused("no-endpoints", `Nothing of it can be taken: ${why}${number}.`);
}

function withoutProblems(imported: ImportedProvider, problems: readonly CatalogProblem[]): ImportedProvider {
  const endpoints: Record<string, Readonly<Record<string, unknown>>> = { ...imported.manifest.endpoints };
  const skipped: SkippedOperation[] = [];
  for (const problem of problems) {
    const path = endpointOf(problem, imported.manifest.endpoints);
    const endpoint = path === undefined ? undefined : endpoints[path];
    if (path === undefined) {
      throw new ImportRefused("unusable", `What came of it is not usable: ${problem.path}: ${problem.message}`);
    }
    if (endpoint === undefined) continue;
    const isOfExamples = problem.path.startsWith(`endpoints.${path}.examples`) && "examples" in endpoint;
    if (isOfExamples) {
      const { examples: _, ...rest } = endpoint;
      endpoints[path] = rest;
    } else {
      delete endpoints[path];
      skipped.push({ operation: nameOf(path, endpoint), why: `${problem.message} (${problem.rule})` });
    }
  }
  return withEndpoints(imported, endpoints, skipped);
}

/** A catalog file may not have such keys, so they are removed. */
function withoutForbiddenKeys(imported: ImportedProvider): ImportedProvider {
  const kept: Record<string, Readonly<Record<string, unknown>>> = {};
  const skipped: SkippedOperation[] = [];
  for (const [path, endpoint] of Object.entries(imported.manifest.endpoints)) {
    const key = findForbiddenKey(endpoint);
    if (key === undefined) kept[path] = endpoint;
    else skipped.push({ operation: nameOf(path, endpoint), why: `"${key}" cannot be a name in a catalog file` });
  }
  return skipped.length === 0 ? imported : withEndpoints(imported, kept, skipped);
}

function withEndpoints(
  imported: ImportedProvider,
  endpoints: Endpoints,
  skipped: readonly SkippedOperation[],
): ImportedProvider {
  return {
    ...imported,
    manifest: { ...imported.manifest, endpoints },
    skipped: [...imported.skipped, ...skipped],
    comments: imported.comments.filter(
      ({ path }) => path[0] !== "endpoints" || Object.hasOwn(endpoints, path[1] ?? ""),
    ),
    pricesToSet: imported.pricesToSet.filter((path) => Object.hasOwn(endpoints, path)),
  };
}

function findForbiddenKey(root: unknown): string | undefined {
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      if (isForbiddenKey(name)) return name;
      if (typeof member === "object" && member !== null) open.push(member);
    }
  }
  return undefined;
}

/** If several paths match, the longest is the right one: `/a` and `/a.json`. */
function endpointOf({ path }: CatalogProblem, endpoints: Endpoints): string | undefined {
  const around = Object.keys(endpoints).filter((key) => {
    const place = `endpoints.${key}`;
    return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
  });
  return around.sort((a, b) => b.length - a.length)[0];
}

function nameOf(path: string, endpoint: Readonly<Record<string, unknown>>): string {
  const { request } = endpoint;
  const method = typeof request === "object" && request !== null && "method" in request ? String(request.method) : "";
  return method === "" ? path : `${method} ${path}`;
}
