import { basename } from "node:path";
import { countWords } from "../../shared/count-words.ts";
import type { CatalogProblem } from "../catalog/problems/catalog-problem.ts";
import type { CatalogHint } from "./catalog-advice.ts";

export interface CatalogCheckReport {
  /** Files of providers that can be served. */
  readonly files: readonly string[];
  /** Files of routes that can be served. */
  readonly routes: readonly string[];
  /** Files with categories or a thesaurus. */
  readonly otherFiles: readonly string[];
  readonly endpoints: number;
  readonly problems: readonly CatalogProblem[];
  /** Things that work but could be better. */
  readonly hints: readonly CatalogHint[];
  /** 0: no problems; 1: problems, or hints if they count as problems. */
  readonly exitCode: 0 | 1;
}

/** The number of problems shown for each rule: the others are fixed in the same way. */
const SHOWN_OF_A_RULE = 20;

/**
 * The report for people, by file: the location, rule and fix of each problem, then the hints, then a count. The first
 * twenty of each rule are shown, unless `all` are requested. Ends with a line break.
 */
export function renderCatalogCheck(
  { files, routes, otherFiles, endpoints, problems, hints }: CatalogCheckReport,
  { all = false }: { readonly all?: boolean } = {},
): string {
  const shownProblems = all ? problems : firstOfEachRule(problems);
  const shownHints = all ? hints : firstOfEachRule(hints);
  const things = [
    ...(files.length > 0 || routes.length === 0
      ? [`${countWords(files.length, "provider")} with ${countWords(endpoints, "endpoint")}`]
      : []),
    ...(routes.length > 0 ? [countWords(routes.length, "route")] : []),
  ];
  const good = `${things.join(" and ")} can be served`;
  const bad = problems.length === 0 ? "no problems" : countWords(problems.length, "problem");
  return [
    ...byFile(shownProblems, ({ message, takesDown }) => [message, CONSEQUENCES[takesDown]]),
    ...leftOut(problems, shownProblems),
    ...(hints.length === 0 ? [] : ["Hints, of what works and could be better:"]),
    ...byFile(shownHints, ({ message }) => [message]),
    ...leftOut(hints, shownHints),
    ...(files.length + routes.length === 0 && problems.length === 0 ? [withoutProviders(otherFiles)] : []),
    `${good}; ${bad}${hints.length === 0 ? "" : `, ${countWords(hints.length, "hint")}`}.`,
    "",
  ].join("\n");
}

function withoutProviders(otherFiles: readonly string[]): string {
  if (otherFiles.length === 0)
    return "No provider file is there: a catalog folder holds one .yaml, .yml or .json file for each provider.";
  const names = otherFiles.map((file) => basename(file)).join(" and ");
  return `${names} can be used, for the providers of other folders: no provider file is there.`;
}

const CONSEQUENCES: Readonly<Record<CatalogProblem["takesDown"], string>> = {
  file: "The file is not used until this is fixed.",
  endpoint: "This endpoint is left out until this is fixed.",
  nothing: "The rest of the file is used.",
};

type Finding = CatalogHint | CatalogProblem;

function byFile<Kind extends Finding>(
  findings: readonly Kind[],
  words: (finding: Kind) => readonly string[],
): string[] {
  const groups = new Map<string, Kind[]>();
  for (const finding of findings) {
    const group = groups.get(finding.file);
    if (group === undefined) groups.set(finding.file, [finding]);
    else group.push(finding);
  }
  return [...groups].flatMap(([file, group]) => [
    file,
    ...group.flatMap((finding) => [
      `  ${placeOf(finding)}  [${finding.rule}]`,
      ...words(finding).map((line) => `    ${line}`),
    ]),
  ]);
}

function placeOf({ line, path }: Finding): string {
  const place = path === "" ? "(file)" : path;
  return line === undefined ? place : `line ${line}: ${place}`;
}

function firstOfEachRule<Kind extends Finding>(findings: readonly Kind[]): Kind[] {
  const seen = new Map<string, number>();
  return findings.filter(({ rule }) => {
    const number = (seen.get(rule) ?? 0) + 1;
    seen.set(rule, number);
    return number <= SHOWN_OF_A_RULE;
  });
}

function leftOut(all: readonly Finding[], shown: readonly Finding[]): string[] {
  const numbers = new Map<string, number>();
  for (const { rule } of all) numbers.set(rule, (numbers.get(rule) ?? 0) + 1);
  for (const { rule } of shown) numbers.set(rule, (numbers.get(rule) ?? 0) - 1);
  const words = [...numbers].filter(([, number]) => number > 0).map(([rule, number]) => `${number} [${rule}]`);
  return words.length === 0 ? [] : [`And more, which --all shows: ${words.join(", ")}.`];
}
