import { countWords } from "../../shared/count-words.ts";
import type { ImportedDocument, ImportReport } from "./import-catalog.ts";
import type { ProviderSummary } from "./steps/import-steps.ts";
import type { SkippedOperation } from "./conversion/imported-provider.ts";

/** A command of `mkt`, as a line to type. */
export type ToCommand = (...words: readonly string[]) => string;

const MAX_SHOWN = 6;

/**
 * The report for people: for one document all details, for many a summary with failures by cause. Ends with a line
 * break.
 */
export function renderImportReport(report: ImportReport, toCommand: ToCommand): string {
  const { documents } = report;
  const [only] = documents;
  if (documents.length === 1 && only !== undefined) return `${renderDocument(only, report, toCommand).join("\n")}\n`;
  if (only === undefined)
    return `Nothing to import: ${countWords(report.passedOver, "file")} looked at, no API described.\n`;
  return `${renderMany(report, toCommand).join("\n")}\n`;
}

function renderDocument(document: ImportedDocument, { dryRun }: ImportReport, toCommand: ToCommand): string[] {
  const { file, provider, manifest = "", error, summary } = document;
  if (error !== undefined || summary === undefined || provider === undefined) {
    return [`${file} was not imported.`, `  ${error?.message ?? ""}`, ...renderSkipped(document.skipped)];
  }
  const { notes, secrets, added, kept, stayRemoved, gone, changed, needsGrant, tryFirst } = summary;
  const end = dryRun ? "would be written to" : changed ? "written to" : "nothing new in";
  const isNew = added.length === document.endpoints;
  return [
    `${summary.displayName}: ${countWords(document.endpoints, "endpoint")}, ${end} ${manifest}`,
    ...(isNew ? [] : section("New endpoints", added)),
    ...section("Kept as you edited it, although the document changed there too", kept),
    ...section("Stays removed, as you removed it", stayRemoved),
    ...section("Gone from the document; kept and marked, because you edited it", gone),
    ...renderSkipped(document.skipped),
    ...section("Notes", notes, 12),
    ...section(
      "Secrets to set",
      secrets.map((name) => toCommand("secrets", "set", name)),
      12,
    ),
    ...wordPrices(provider, summary, toCommand),
    "Next:",
    `  ${toCommand("catalog", "check", manifest)}`,
    ...(needsGrant ? [`  ${toCommand("catalog", "grant", provider)}`] : []),
    ...(tryFirst === undefined ? [] : [`  ${firstTry(provider, tryFirst, toCommand)}`]),
    ...whatRuns(document.endpoints, provider, summary, toCommand),
  ];
}

/** The last part: what can be run now, what needs other commands first, what cannot be run and why. */
function whatRuns(
  endpoints: number,
  provider: string,
  { off, needed, needsGrant }: Summary,
  toCommand: ToCommand,
): string[] {
  const able = endpoints - off.length;
  const commands = [
    ...needed.map((name) => toCommand("secrets", "set", name)),
    ...(needsGrant ? [toCommand("catalog", "grant", provider)] : []),
  ];
  const shown =
    commands.length > MAX_SHOWN ? [...commands.slice(0, MAX_SHOWN), `${commands.length - MAX_SHOWN} more`] : commands;
  const after = commands.length === 0 ? "now" : `after ${shown.join(", ")}`;
  const byReason = groupBy(off, ({ why }) => why);
  return [
    ...(able === 0 ? ["Nothing of it can be run."] : [`Can be run ${after}: ${countWords(able, "endpoint")}.`]),
    ...[...byReason].map(
      ([why, paths]) =>
        `Never, until the file is fixed (${paths.length}): ${list(paths.map(({ path }) => path))}: ${why}.`,
    ),
  ];
}

type Summary = NonNullable<ImportedDocument["summary"]>;

/** A command that can be typed as it is: an endpoint without example values is inspected first. */
function firstTry(
  provider: string,
  { path, input }: NonNullable<ProviderSummary["tryFirst"]>,
  toCommand: ToCommand,
): string {
  const endpoint = `${provider}${path}`;
  if (input === undefined) return toCommand("inspect", endpoint);
  return Object.keys(input).length === 0
    ? toCommand("run", endpoint)
    : toCommand("run", endpoint, "--input", JSON.stringify(input));
}

function wordPrices(
  provider: string,
  { pricesToSet, maybeBilled }: Pick<Summary, "pricesToSet" | "maybeBilled">,
  toCommand: ToCommand,
): string[] {
  const free = pricesToSet.filter((path) => !maybeBilled.includes(path));
  const words = [
    ...(maybeBilled.length === 0 ? [] : [`${list(maybeBilled)} may be billed by ${provider} on your key`]),
    ...(free.length === 0 ? [] : [`${list(free)} ${free.length === 1 ? "is" : "are"} free until you say otherwise`]),
  ];
  const [first] = [...maybeBilled, ...free];
  if (first === undefined) return [];
  const one = `${toCommand("catalog", "price", `${provider}${first}`)} <dollars>`;
  return [`Prices to set: ${words.join("; ")}. With ${one}, in the file, or by another import with --price.`];
}

function renderSkipped(skipped: readonly SkippedOperation[]): string[] {
  if (skipped.length === 0) return [];
  const byReason = groupBy(skipped, ({ why }) => why);
  const lines = [...byReason].map(([why, operations]) => {
    const names = operations.map(({ operation }) => operation);
    return `  ${why}: ${list(names)}`;
  });
  return [`Left out (${skipped.length}):`, ...lines];
}

function renderMany({ documents, passedOver, imported, dryRun }: ImportReport, toCommand: ToCommand): string[] {
  const taken = documents.filter(({ error }) => error === undefined);
  const failed = documents.filter(({ error }) => error !== undefined);
  const endpoints = documents.reduce((sum, document) => sum + document.endpoints, 0);
  const skipped = documents.reduce((sum, document) => sum + document.skipped.length, 0);
  const unchanged = taken.filter(({ summary }) => summary?.changed === false).length;
  const secrets = new Set(taken.flatMap(({ summary }) => summary?.secrets ?? []));
  const unpriced = taken.filter(({ summary }) => (summary?.pricesToSet.length ?? 0) > 0).length;
  const billed = taken.filter(({ summary }) => (summary?.maybeBilled.length ?? 0) > 0).length;
  const [first] = taken;
  const asking = taken.find(({ summary }) => summary?.needsGrant === true);
  return [
    `${countWords(imported, "document")} with ${countWords(endpoints, "endpoint")} ${dryRun ? "would be imported" : "imported"}` +
      `${unchanged === 0 ? "" : ` (${unchanged} as before)`}; ${countWords(skipped, "operation")} left out; ` +
      `${countWords(failed.length, "document")} failed; ${countWords(passedOver, "other file")} passed over.`,
    ...renderFailures(failed),
    ...(secrets.size === 0
      ? []
      : [`Secrets to set: ${secrets.size}, such as ${toCommand("secrets", "set", [...secrets][0] ?? "")}`]),
    ...(unpriced === 0
      ? []
      : [
          `Prices to set: in ${countWords(unpriced, "provider")} calls have none${billed === 0 ? "" : `, and in ${billed} of them the provider may bill calls on your key`}: ${toCommand("catalog", "price")} <provider> <dollars>`,
        ]),
    ...offInMany(taken),
    ...(first?.manifest === undefined ? [] : ["Next:", `  ${toCommand("catalog", "check", folderOf(first.manifest))}`]),
    ...(asking?.provider === undefined ? [] : [`  ${toCommand("catalog", "grant", asking.provider)}`]),
  ];
}

/** Endpoints of all documents that no run can call, by cause. */
function offInMany(taken: readonly ImportedDocument[]): string[] {
  const off = taken.flatMap(({ provider = "", summary }) =>
    (summary?.off ?? []).map(({ path, why }) => ({ path: `${provider}${path}`, why })),
  );
  if (off.length === 0) return [];
  const causes = [...groupBy(off, ({ why }) => why)].sort((a, b) => b[1].length - a[1].length);
  const lines = causes.slice(0, MAX_SHOWN).map(([why, paths]) => `  ${why}: ${list(paths.map(({ path }) => path))}`);
  const rest =
    causes.length > MAX_SHOWN ? [`  and ${causes.length - MAX_SHOWN} more causes (--json names them all)`] : [];
  return [`Never to be run, until their files are fixed: ${countWords(off.length, "endpoint")}`, ...lines, ...rest];
}

/** By cause, the most frequent one first. */
function renderFailures(failed: readonly ImportedDocument[]): string[] {
  const byRule = [...groupBy(failed, ({ error }) => error?.rule ?? "")].sort((a, b) => b[1].length - a[1].length);
  return byRule.flatMap(([rule, documents]) => [
    `Failed [${rule}]: ${countWords(documents.length, "document")}`,
    ...documents.slice(0, MAX_SHOWN).map(({ file, error }) => `  ${file}: ${error?.message ?? ""}`),
    ...(documents.length > MAX_SHOWN ? [`  and ${documents.length - MAX_SHOWN} more (--json names them all)`] : []),
  ]);
}

function section(title: string, lines: readonly string[], most = MAX_SHOWN): string[] {
  if (lines.length === 0) return [];
  const rest = lines.length > most ? [`  and ${lines.length - most} more (--json names them all)`] : [];
  return [`${title}:`, ...lines.slice(0, most).map((line) => `  ${line}`), ...rest];
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function list(names: readonly string[]): string {
  const rest = names.length - MAX_SHOWN;
  return `${names.slice(0, MAX_SHOWN).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function folderOf(file: string): string {
  return file.replace(/[/\\][^/\\]*$/, "");
}
