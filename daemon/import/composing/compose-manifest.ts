import { isDeepStrictEqual } from "node:util";
import { parseCatalogText } from "../../catalog/parsing/parse-catalog-text.ts";
import { formatDocumentPath } from "../../catalog/problems/catalog-problem.ts";
import { dropUnusable, findProblems } from "./drop-unusable.ts";
import { editManifestText } from "./edit-manifest-text.ts";
import type { ComposedManifest, ComposeRequest, ExistingManifest, ProviderSummary } from "../steps/import-steps.ts";
import { type ImportedManifest, type ImportedProvider, ImportRefused } from "../conversion/imported-provider.ts";
import { membersOf } from "../conversion/members.ts";
import { type ManifestMerge, mergeManifests } from "./merge-manifest.ts";
import type { OperationPrints } from "../documents/operation-prints.ts";
import { renderManifest, toCommentLine } from "./render-manifest.ts";
import { underOwnersPrice } from "../conversion/unnamed-price.ts";

export interface ConvertedFacts {
  readonly imported: ImportedProvider;
  readonly operations: OperationPrints;
  /** The version that the document states. */
  readonly version?: string;
}

/**
 * A larger file is written as JSON, which the daemon reads thirty times as fast: nobody goes through 25,000 lines of
 * YAML. docs/decisions/2026-11-22-large-imports-as-json.md.
 */
const MOST_KEYS_IN_YAML = 20_000;
const NEW_FILE = { kept: [], stayRemoved: [], gone: [] } as const;
const NO_REASON = "enabled: false stands in the file";
const HEAD_LINE = /^# Imported from .*$/m;

/** The text of a manifest and its record, new or merged into the existing file. Throws ImportRefused. */
export async function composeManifest(facts: ConvertedFacts, request: ComposeRequest): Promise<ComposedManifest> {
  const imported = dropUnusable(facts.imported);
  const { manifest } = imported;
  const head = headOf(imported, { ...request, ...(facts.version !== undefined && { version: facts.version }) });
  const record = { mkt: 1, choices: request.choices, operations: facts.operations, manifest } as const;
  const { existing } = request;
  if (existing !== undefined) {
    const mine = await readExisting(existing, request.slug);
    const base = existing.record?.manifest;
    const theirs = underOwnersPrice(manifest, { base: base ?? {}, mine, unnamed: imported.pricesToSet });
    const merge = mergeManifests(base, mine, theirs);
    refuseUnusableMerge(merge, mine, request.slug);
    const text = editExisting(existing, merge, { imported, head });
    const before = new Set(Object.keys(membersOf(mine["endpoints"])));
    const value = merge.value as ImportedManifest;
    const added = Object.keys(value.endpoints).filter((path) => !before.has(path));
    const merged = { ...merge, kept: merge.kept.map((path) => formatDocumentPath(path)) };
    const summary = summarise({ ...imported, manifest: value }, { ...merged, added, changed: text !== existing.text });
    return { text, isJson: existing.isJson, record, summary };
  }
  const added = Object.keys(manifest.endpoints);
  const summary = summarise(imported, { ...NEW_FILE, added, changed: true });
  const yaml =
    countKeys(manifest) > MOST_KEYS_IN_YAML
      ? undefined
      : renderManifest({ manifest, comments: imported.comments, head });
  if (yaml !== undefined && isDeepStrictEqual(await readBack(yaml, `${manifest.provider}.yaml`), manifest)) {
    return { text: yaml, isJson: false, record, summary };
  }
  const json = toJson(manifest);
  if (isDeepStrictEqual(await readBack(json, `${manifest.provider}.json`), manifest)) {
    return { text: json, isJson: true, record, summary };
  }
  throw new ImportRefused(
    "size",
    "The result is too large for one catalog file. Choose parts with --include-tag or --include.",
  );
}

function countKeys(root: unknown): number {
  let keys = 0;
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inside: unknown[] = Object.values(next);
    if (!Array.isArray(next)) keys += inside.length;
    for (const value of inside) if (typeof value === "object" && value !== null) open.push(value);
  }
  return keys;
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function readBack(text: string, file: string): Promise<unknown> {
  const parsed = await parseCatalogText(text, file);
  return "problems" in parsed ? undefined : parsed.value;
}

async function readExisting(
  { text, isJson }: ExistingManifest,
  slug: string,
): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await parseCatalogText(text, `${slug}.${isJson ? "json" : "yaml"}`);
  if (!("problems" in parsed)) return membersOf(parsed.value);
  const [problem] = parsed.problems;
  throw new ImportRefused(
    "manifest",
    `The manifest ${slug} that is there cannot be read: ${problem?.message ?? "it is broken"} Fix it, or move it away.`,
    problem?.line,
  );
}

/** Mistakes in the file must be fixed by its author first: nothing is written over a file that cannot be understood. */
function refuseUnusableMerge(
  { edits, value }: ManifestMerge,
  mine: Readonly<Record<string, unknown>>,
  slug: string,
): void {
  if (edits.length === 0) return;
  const [problem] = findProblems(value as ImportedManifest);
  if (problem === undefined) return;
  const [own] = findProblems(mine as ImportedManifest);
  const message =
    own === undefined
      ? `The document's changes and yours do not fit together: ${problem.path}: ${problem.message}. Take one of them back, then import again.`
      : `The manifest ${slug} has a mistake: ${own.path}: ${own.message}. Fix it first (mkt catalog check), then import again.`;
  throw new ImportRefused("manifest", message);
}

function editExisting(
  existing: ExistingManifest,
  merge: ManifestMerge,
  { imported, head }: { readonly imported: ImportedProvider; readonly head: readonly string[] },
): string {
  if (merge.edits.length === 0) return existing.text;
  if (existing.isJson) return toJson(merge.value);
  const [first = ""] = head;
  return editManifestText(existing.text, merge, imported.comments).replace(HEAD_LINE, () => `#${toCommentLine(first)}`);
}

function headOf(
  { manifest, pricesToSet }: ImportedProvider,
  { slug, today, version }: { readonly slug: string; readonly today: string; readonly version?: string },
): string[] {
  const { ref } = membersOf(manifest["source"]);
  const named = version === undefined ? "" : ` (version ${version} of the document)`;
  const variables = secretsOf(manifest);
  return [
    `Imported from ${String(ref)} on ${today}${named}.`,
    "Yours to edit: the next import of the same document keeps what you changed.",
    ...(variables.length > 0
      ? [`Secrets to set: ${variables.map((name) => `mkt secrets set ${name}`).join("; ")}`]
      : []),
    ...(pricesToSet.length > 0
      ? ["Prices: the document names none for some calls. Set price here, or per endpoint."]
      : []),
    `Then: mkt catalog check${needsGrant(manifest) ? `; mkt catalog grant ${slug}` : ""}`,
  ];
}

function summarise(
  { manifest, skipped, notes, pricesToSet }: ImportedProvider,
  changes: Pick<ProviderSummary, "added" | "kept" | "stayRemoved" | "gone" | "changed">,
): ProviderSummary {
  const { added, kept, stayRemoved, gone, changed } = changes;
  const paths = Object.keys(manifest.endpoints);
  const unpriced = pricesToSet.filter((path) => isFree(manifest, path));
  const tryFirst = tryFirstOf(manifest);
  return {
    provider: manifest.provider,
    displayName: typeof manifest["displayName"] === "string" ? manifest["displayName"] : manifest.provider,
    endpoints: paths,
    skipped,
    notes,
    pricesToSet: unpriced,
    maybeBilled: unpriced.filter((path) => membersOf(priceOf(manifest, path))["billedByVendor"] === true),
    secrets: secretsOf(manifest),
    needed: neededSecrets(manifest),
    needsGrant: needsGrant(manifest),
    off: offOf(manifest),
    added,
    kept,
    stayRemoved,
    gone,
    changed,
    ...(tryFirst !== undefined && { tryFirst }),
  };
}

function offOf({ endpoints }: ImportedManifest): ProviderSummary["off"] {
  return Object.entries(endpoints).flatMap(([path, { enabled, disabledReason }]) =>
    enabled === false ? [{ path, why: typeof disabledReason === "string" ? disabledReason : NO_REASON }] : [],
  );
}

/** A person may have set the price since. */
function isFree(manifest: ImportedManifest, path: string): boolean {
  const price = priceOf(manifest, path);
  return price === undefined || membersOf(price)["type"] === "FREE";
}

function priceOf(manifest: ImportedManifest, path: string): unknown {
  return manifest.endpoints[path]?.["price"] ?? manifest["price"];
}

function needsGrant(manifest: ImportedManifest): boolean {
  return secretsOf(manifest).length > 0 || membersOf(manifest["http"])["allowPrivateNetwork"] === true;
}

function secretsOf(manifest: ImportedManifest): string[] {
  return Object.values(membersOf(manifest["secrets"])).map((secret) => String(membersOf(secret)["env"]));
}

function neededSecrets(manifest: ImportedManifest): string[] {
  return Object.values(membersOf(manifest["secrets"]))
    .map(membersOf)
    .flatMap(({ env, optional }) => (optional === true ? [] : [String(env)]));
}

/**
 * An endpoint that only reads, with an example's input, or without required input, or whose required fields have
 * example values.
 */
function tryFirstOf(manifest: ImportedManifest): ProviderSummary["tryFirst"] {
  const enabled = Object.entries(manifest.endpoints).filter(([, endpoint]) => endpoint["enabled"] !== false);
  const reading = enabled.filter(([, endpoint]) => endpoint["idempotent"] === true);
  for (const [path, { examples }] of reading) {
    const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
    if (first !== undefined) return { path, input: membersOf(membersOf(first)["input"]) };
  }
  const inputs = reading.flatMap(([path, { input }]) => {
    const needed = neededInput(membersOf(input));
    return needed === undefined ? [] : [{ path, input: needed }];
  });
  const found = inputs.find(({ input }) => Object.keys(input).length === 0) ?? inputs[0];
  if (found !== undefined) return found;
  const [first] = reading.length > 0 ? reading : enabled;
  return first === undefined ? undefined : { path: first[0] };
}

/** The document's example values for the required fields. Undefined when one of them has none. */
function neededInput(sections: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const input: Record<string, unknown> = {};
  for (const [section, schema] of Object.entries(sections)) {
    const { required, properties } = membersOf(schema);
    const fields = (Array.isArray(required) ? required : []).flatMap((name) => {
      const field = membersOf(membersOf(properties)[String(name)]);
      if (Object.hasOwn(field, "default")) return [];
      const [value] = [field["examples"], field["enum"]].flatMap((values): unknown[] =>
        Array.isArray(values) ? values : [],
      );
      return [[String(name), value] as const];
    });
    if (fields.some(([, value]) => value === undefined)) return undefined;
    if (fields.length > 0) input[section] = Object.fromEntries(fields);
  }
  return input;
}
