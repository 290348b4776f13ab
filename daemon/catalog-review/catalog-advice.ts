import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { formatDocumentPath } from "../catalog/problems/catalog-problem.ts";
import { CategoriesFile } from "../catalog/categories/categories-file.ts";
import type { CategoryTree } from "../catalog/categories/category-tree.ts";
import type { CheckedFile } from "../catalog/reading/provider-file.ts";
import { type CatalogSource, readManifestFile } from "../catalog/parsing/read-manifest-file.ts";
import { membersOf } from "../import/conversion/members.ts";
import { countSentDefaults } from "../import/sent-defaults.ts";
import type { DocumentPath } from "../manifest/document-path.ts";
import type { ErrorRule, ManifestEndpoint } from "../manifest/manifest.ts";
import { visibleText } from "../../shared/hidden-text.ts";
import { didYouMean } from "../../shared/near-misses.ts";
import { doubtfulDefaults } from "./default-advice.ts";

/**
 * Something that works but could be better: where, which rule, and what to do. Never prevents anything from being
 * served.
 */
export interface CatalogHint {
  readonly file: string;
  readonly path: string;
  readonly line?: number;
  readonly rule: string;
  readonly message: string;
}

/** A hint of an endpoint that names another one; whether that exists is known only when everything is loaded. */
export interface HintLink {
  /** Its location; not the file's content, since there may be thousands of files. */
  readonly at: Pick<CatalogHint, "file" | "path" | "line">;
  readonly provider: string;
  readonly endpoint: string;
}

/** A shorter description has too few words to be found by. */
const MIN_DESCRIPTION_CHARACTERS = 40;

/** Possible improvements in one provider's file. */
export function hintsOfFile(read: CheckedFile): CatalogHint[] {
  const { manifest, source } = read;
  const endpoints = Object.entries(manifest.endpoints).filter(([, { enabled }]) => enabled);
  return [
    ...withoutDocs(read, endpoints),
    ...withoutExamples(read, endpoints),
    ...endpoints.flatMap(([path, endpoint]) => hintsOfEndpoint(read, path, endpoint)),
    ...endpoints.flatMap(([path, endpoint]) =>
      doubtfulDefaults(endpoint).map(({ field, message }) =>
        hint(source, ["endpoints", path, "input", ...field.split(".")], "default", `${field}: ${message}`),
      ),
    ),
    ...offEndpoints(read),
    ...likePaths(source, Object.keys(manifest.endpoints)),
    ...rulesThatCharge(source, ["errors"], manifest.errors),
    ...endpoints.flatMap(([path, { errors }]) => rulesThatCharge(source, ["endpoints", path, "errors"], errors)),
    ...freeWithKey(read, endpoints),
    ...unusedSecrets(read),
    ...unusedSchemas(read),
    ...hiddenTexts(source),
  ];
}

/**
 * Error rules that match a 2xx answer without making it an error: their message is never shown, and the answer is
 * charged.
 */
function rulesThatCharge(source: CatalogSource, place: DocumentPath, rules: readonly ErrorRule[]): CatalogHint[] {
  const message =
    "a 2xx answer that this rule matches stays a success and is charged: say what it is with as.status (such as 502) or as.empty, or keep the rule to errors with when.status: [4xx, 5xx]";
  return rules.flatMap((rule, index) =>
    rule.as.status === undefined && rule.as.empty !== true && takesSuccesses(rule)
      ? [hint(source, [...place, index], "error-rule", message)]
      : [],
  );
}

function takesSuccesses({ when: { status } }: ErrorRule): boolean {
  return status === undefined || status.some((wanted) => String(wanted).startsWith("2"));
}

/**
 * For imported files: defaults that an earlier version wrote and that are sent. `record`: the manifest as it was
 * imported.
 */
export function formerDefaults({ manifest, source }: CheckedFile, record: unknown): CatalogHint[] {
  const number = countSentDefaults(membersOf(source.value), membersOf(record));
  if (number === 0) return [];
  const what = number === 1 ? "1 optional default" : `${number} optional defaults`;
  const message = `${what} of the document, as an earlier version imported them, ${number === 1 ? "is" : "are"} sent with every call that leaves the field out; import it again, which only shows what the provider takes: mkt catalog import ${manifest.source?.ref ?? "<document>"}`;
  return [hint(source, ["endpoints"], "imported-default", message)];
}

/** Reported once for a file: one `docUrl` at its top fixes all of them. */
function withoutDocs(
  { manifest, source }: CheckedFile,
  endpoints: readonly [string, ManifestEndpoint][],
): CatalogHint[] {
  if (manifest.docUrl !== undefined) return [];
  const bare = endpoints.filter(([, { docUrl }]) => docUrl === undefined).map(([path]) => path);
  const [first] = bare;
  if (first === undefined) return [];
  const which = bare.length === 1 ? `${first} has` : `${bare.length} endpoints, ${first} first, have`;
  const message = `${which} no docUrl, and the provider has none: add the page that documents it, to the file for all of them or to each`;
  return [hint(source, ["endpoints"], "doc-url", message)];
}

/**
 * Endpoints that cannot be found or run, by reason: reported once for each, because an import may disable hundreds for
 * the same one.
 */
function offEndpoints({ manifest, source }: CheckedFile): CatalogHint[] {
  const byReason = new Map<string, string[]>();
  for (const [path, { enabled, disabledReason }] of Object.entries(manifest.endpoints)) {
    if (enabled) continue;
    const why = disabledReason ?? "enabled: false stands there, and no disabledReason";
    byReason.set(why, [...(byReason.get(why) ?? []), path]);
  }
  return [...byReason].flatMap(([why, [first = "", ...others]]) => {
    const which = others.length === 0 ? "is off" : `and ${others.length} more are off`;
    return [
      hint(source, ["endpoints", first, "enabled"], "off", `${which}, so that nobody finds or runs them: ${why}`),
    ];
  });
}

/** Reported once for a file: imported files rarely have any. */
function withoutExamples({ source }: CheckedFile, endpoints: readonly [string, ManifestEndpoint][]): CatalogHint[] {
  const bare = endpoints.filter(([, { examples }]) => examples.length === 0).map(([path]) => path);
  const [first] = bare;
  if (first === undefined) return [];
  const which = bare.length === 1 ? "has" : `and ${bare.length - 1} more have`;
  const message = `${which} no example: people copy one, and \`mkt catalog test\` replays it; add examples`;
  return [hint(source, ["endpoints", first], "example", message)];
}

function hintsOfEndpoint({ source }: CheckedFile, path: string, endpoint: ManifestEndpoint): CatalogHint[] {
  const { description } = endpoint;
  const length = description.trim().length;
  if (length >= MIN_DESCRIPTION_CHARACTERS) return [];
  const message = `has ${length === 0 ? "no description" : `a description of ${length} characters`}: discovery finds an endpoint by the words in it; say in two sentences what one gets and what for`;
  return [hint(source, ["endpoints", path, "description"], "description", message)];
}

/** Paths that differ only in the name of a parameter or a trailing slash. */
function likePaths(source: CatalogSource, paths: readonly string[]): CatalogHint[] {
  const first = new Map<string, string>();
  return paths.flatMap((path) => {
    const plain = path.replaceAll(/\{[^{}]*\}/g, "{}").replace(/\/+$/, "");
    const twin = first.get(plain);
    if (twin === undefined) {
      first.set(plain, path);
      return [];
    }
    const message = `differs from ${twin} only by the name of a parameter or a slash at its end: nobody can tell which is meant; rename or remove one`;
    return [hint(source, ["endpoints", path], "duplicate-path", message)];
  });
}

/**
 * Earlier imports wrote `FREE` for endpoints without a price, even if the provider bills each call by its key. Reported
 * once for a file.
 */
function freeWithKey(
  { manifest, source }: CheckedFile,
  endpoints: readonly [string, ManifestEndpoint][],
): CatalogHint[] {
  if (manifest.source === undefined || manifest.source.kind === "manual") return [];
  const { price } = manifest;
  if (price?.type !== "FREE" || price.billedByVendor === true) return [];
  const needed = Object.entries(manifest.secrets).filter(([, { optional }]) => !optional);
  const found = endpoints.flatMap(([path, endpoint]) => {
    if (endpoint.price !== undefined) return [];
    const text = JSON.stringify([endpoint, endpoint.http?.auth ?? manifest.http?.auth, manifest.http?.headers]);
    const secret = needed.find(([name]) => text.includes(`\${secret.${name}}`));
    return secret === undefined ? [] : [{ path, env: secret[1].env }];
  });
  const [first, ...others] = found;
  if (first === undefined) return [];
  const which = others.length === 0 ? "is FREE and needs" : `and ${others.length} more are FREE and need`;
  const message = `${which} ${first.env}: if the provider bills calls on that key, write price: {type: FREE, billedByVendor: true}, or what a call costs (mkt catalog price ${manifest.provider}${first.path} <dollars> sets it for callers); an endpoint's own price: {type: FREE} says that it is free`;
  return [hint(source, ["price"], "free-with-key", `${first.path} ${message}`)];
}

function unusedSecrets({ manifest, source }: CheckedFile): CatalogHint[] {
  const { secrets, ...others } = manifest;
  const text = JSON.stringify(others);
  return Object.keys(secrets)
    .filter((name) => !text.includes(`\${secret.${name}}`))
    .map((name) =>
      hint(
        source,
        ["secrets", name],
        "unused-secret",
        `nothing uses \${secret.${name}}, and yet the file asks the operator for it; remove it, or use it in http.auth`,
      ),
    );
}

function unusedSchemas({ manifest, source }: CheckedFile): CatalogHint[] {
  const { schemas, ...others } = manifest;
  const used = new Set<string>();
  const open = [JSON.stringify(others)];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const [, name = ""] of text.matchAll(/"#\/schemas\/([^"/]+)/g)) {
      if (used.has(name)) continue;
      used.add(name);
      open.push(JSON.stringify(schemas[name] ?? null));
    }
  }
  return Object.keys(schemas)
    .filter((name) => !used.has(name))
    .map((name) => hint(source, ["schemas", name], "unused-schema", "nothing refers to it; remove it"));
}

/** Invisible characters, reported once for a file: they may hide words for models, or make a name look like another. */
function hiddenTexts(source: CatalogSource): CatalogHint[] {
  const places = [...placesOfHidden(source.value, [])];
  const [first] = places;
  if (first === undefined) return [];
  const which = places.length === 1 ? "holds" : `and ${places.length - 1} more hold`;
  const message = `${which} characters that no screen shows and that models read, such as tag characters and zero-width spaces: descriptions are served without them; look for what stands there, and remove it`;
  return [hint(source, first, "hidden-text", message)];
}

function* placesOfHidden(value: unknown, place: DocumentPath): Generator<DocumentPath> {
  if (typeof value === "string") {
    if (visibleText(value) !== value) yield place;
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const inner = [...place, Array.isArray(value) ? Number(name) : name];
      if (visibleText(name) !== name) yield inner;
      yield* placesOfHidden(member, inner);
    }
  }
}

/** The endpoints that the file's own next steps name. */
export function linksOfFile({ manifest, source }: CheckedFile): HintLink[] {
  return Object.entries(manifest.endpoints).flatMap(([path, { hints = {} }]) =>
    Object.entries(hints).flatMap(([label, target]) => {
      if (typeof target === "string" || target.endpoint === undefined) return [];
      const { provider = manifest.provider, endpoint } = target;
      return [{ at: locate(source, ["endpoints", path, "hints", label]), provider, endpoint }];
    }),
  );
}

/**
 * Next steps with unknown endpoints. `entries`: everything that is loaded; `isAll`: whether that is everything that
 * exists.
 */
export function deadLinks(
  links: readonly HintLink[],
  entries: readonly CatalogEntry[],
  { isAll }: { readonly isAll: boolean },
): CatalogHint[] {
  const paths = new Map<string, string[]>();
  for (const { provider, path } of entries) {
    paths.set(provider.provider, [...(paths.get(provider.provider) ?? []), path]);
  }
  return links.flatMap(({ at, provider, endpoint }) => {
    const known = paths.get(provider);
    if (known?.includes(endpoint) === true || (known === undefined && !isAll)) return [];
    const what = known === undefined ? `there is no provider "${provider}" here` : `${provider} has no ${endpoint}`;
    const near = known === undefined ? didYouMean(provider, paths.keys()) : didYouMean(endpoint, known);
    const message = `the step leads nowhere: ${what}${near || "; correct or remove it"}`;
    return [{ ...at, rule: "hint-target", message }];
  });
}

/** Empty tops and leaves of a category file. */
export async function emptyCategories(
  file: string,
  tree: CategoryTree,
  entries: readonly CatalogEntry[],
): Promise<CatalogHint[]> {
  const read = await readManifestFile(file);
  const shape = "problems" in read ? undefined : CategoriesFile.safeParse(read.source.value);
  if ("problems" in read || shape?.success !== true) return [];
  const full = new Set(entries.flatMap((entry) => [...tree.nodesOf(entry)]));
  return (["tops", "leaves"] as const).flatMap((kind) =>
    shape.data[kind].flatMap(({ id }, index) => {
      if (full.has(id)) return [];
      const message = `no endpoint is in "${id}", so nobody sees it; name it in an endpoint's categories, or remove it`;
      return [hint(read.source, [kind, index], "empty-category", message)];
    }),
  );
}

function hint(source: CatalogSource, place: DocumentPath, rule: string, message: string): CatalogHint {
  return { ...locate(source, place), rule, message };
}

function locate({ file, lineOf }: CatalogSource, place: DocumentPath): Pick<CatalogHint, "file" | "path" | "line"> {
  const line = lineOf(place);
  return { file, path: formatDocumentPath(place), ...(line !== undefined && { line }) };
}
