import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { CatalogProblem, ProblemList } from "../catalog/catalog-problem.ts";
import { checkInput, normalizeInput } from "../catalog/input-validation.ts";
import { type CatalogFolder, type LoadedProvider, loadFolders } from "../catalog/load-catalog.ts";
import { ApiError } from "../../shared/errors.ts";

export interface CatalogCheckRequest {
  /** Files and folders; empty: `defaults`. */
  readonly paths: readonly string[];
  /** What is checked when nothing is named: the folders that a daemon would load. */
  readonly defaults: readonly CatalogFolder[];
  /** The bundled folder, whose categories every file may use. */
  readonly bundledDir?: string;
}

export interface CatalogCheckReport {
  /** Files that can be served. */
  readonly files: readonly string[];
  readonly endpoints: number;
  readonly problems: readonly CatalogProblem[];
  /** 0: nothing found; 1: problems. */
  readonly exitCode: 0 | 1;
}

/**
 * `mkt catalog check`: everything that loading finds, and what it has no time for: input schemas are compiled and the
 * inputs of the examples are checked against them. Reads files only; needs no daemon.
 */
export async function checkCatalog({ paths, defaults, bundledDir }: CatalogCheckRequest): Promise<CatalogCheckReport> {
  const asked = paths.length === 0 ? [...defaults] : await Promise.all(paths.map((path) => toFolder(path, bundledDir)));
  const bundled = bundledDir === undefined ? [] : [{ dir: bundledDir, bundled: true, trusted: true }];
  const { providers, problems } = await loadFolders([...bundled, ...asked], inspectProvider);
  const served = providers.filter(({ provider }) => asked.some((folder) => isIn(folder, provider.file)));
  const found = problems.filter(({ file }) => asked.some((folder) => isIn(folder, file)));
  return {
    files: served.map(({ provider }) => provider.file),
    endpoints: served.reduce((sum, { entries }) => sum + entries.length, 0),
    problems: found,
    exitCode: found.length === 0 ? 0 : 1,
  };
}

/** The report for people: place, rule and mending of each problem, then a count. Ends with a line break. */
export function renderCatalogCheck({ files, endpoints, problems }: CatalogCheckReport): string {
  const lines = problems.flatMap(({ file, line, path, rule, message, takesDown }) => [
    `${file}${line === undefined ? "" : `:${line}`}  ${path === "" ? "(file)" : path}  [${rule}]`,
    `    ${message}`,
    `    ${CONSEQUENCES[takesDown]}`,
  ]);
  const good = `${count(files.length, "provider")} with ${count(endpoints, "endpoint")} can be served`;
  const end = problems.length === 0 ? `${good}; no problems.` : `${good}; ${count(problems.length, "problem")}.`;
  return [...lines, end, ""].join("\n");
}

const CONSEQUENCES: Readonly<Record<CatalogProblem["takesDown"], string>> = {
  file: "The file is not used until this is mended.",
  endpoint: "This endpoint is left out until this is mended.",
  nothing: "The rest of the file is used.",
};

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

async function toFolder(path: string, bundledDir: string | undefined): Promise<CatalogFolder> {
  const full = resolve(path);
  const isFolder = await stat(full).then(
    (facts) => facts.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined) throw new ApiError("notFound", `${path} does not exist; name a catalog file or folder`);
  const dir = isFolder ? full : dirname(full);
  const bundled = bundledDir !== undefined && dir === resolve(bundledDir);
  return { dir, bundled, ...(!isFolder && { only: [basename(full)] }) };
}

function isIn(folder: CatalogFolder, file: string): boolean {
  const dir = resolve(folder.dir);
  if (file === dir) return true;
  if (dirname(file) !== dir) return false;
  return folder.only === undefined || folder.only.includes(basename(file)) || /^categories\./i.test(basename(file));
}

function inspectProvider({ entries }: LoadedProvider, problems: ProblemList): void {
  for (const entry of entries) {
    const inputs = entry.examples.length === 0 ? [undefined] : entry.examples.map(({ input }) => input);
    inputs.forEach((input, index) => {
      const place = ["endpoints", entry.path, ...(input === undefined ? ["input"] : ["examples", index, "input"])];
      try {
        // Without examples an empty input still makes the schemas compile.
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
