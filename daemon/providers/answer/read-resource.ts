import type { CatalogEntry, EndpointResources } from "../../catalog/entries/catalog-entry.ts";
import { oncePer } from "../../base/once-per.ts";
import { extract, type Extractor, type ExtractScope } from "../../manifest/extract.ts";
import { compileExtractor, compiledSources } from "./compiled-sources.ts";
import { toMessage } from "./error-rules.ts";
import type { ProvisionedResource } from "../protocol/provider.ts";
import type { Redactor } from "../../redaction/redact.ts";

const MAX_ID_CHARACTERS = 1_000;
const MAX_IDENTIFIER_CHARACTERS = 500;
const MAX_DATA_CHARACTERS = 16_384;

/** The resource that the call created, as its answer describes it; undefined when it has no usable id. */
export function readProvisioned(
  { resources }: CatalogEntry,
  scope: ExtractScope,
  redactor: Redactor,
): ProvisionedResource | undefined {
  const rules = resources?.provisions;
  if (rules === undefined) return undefined;
  const { id, identifier: name } = compiledNames(rules);
  const externalId = toMessage(extract(id, scope));
  if (externalId === undefined || externalId.length > MAX_ID_CHARACTERS) return undefined;
  // An id that contains a secret could not be shown to anybody.
  if (redactor.text(externalId) !== externalId) return undefined;
  const named = name === undefined ? undefined : toMessage(extract(name, scope));
  const identifier = redactor.text(named ?? externalId).slice(0, MAX_IDENTIFIER_CHARACTERS);
  return { externalId, identifier, data: readData(rules.data, scope, redactor) };
}

/** The values of extractors by name; missing ones, and those too large to keep, are left out. */
export function readData(
  sources: Readonly<Record<string, string | number>>,
  scope: ExtractScope,
  redactor: Redactor,
): Record<string, unknown> {
  const found = compiledSources(sources).map(([name, from]) => [name, extract(from, scope)] as const);
  const kept = found.filter(([, value]) => (JSON.stringify(value)?.length ?? Infinity) <= MAX_DATA_CHARACTERS);
  return redactor.json(Object.fromEntries(kept));
}

const compiledNames = oncePer(
  ({
    id,
    identifier,
  }: NonNullable<EndpointResources["provisions"]>): { readonly id: Extractor; readonly identifier?: Extractor } => ({
    id: compileExtractor(id),
    ...(identifier !== undefined && { identifier: compileExtractor(identifier) }),
  }),
);
