import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { extract, type ExtractScope, parseExtractor } from "../../manifest/extract.ts";
import { toMessage } from "./error-rules.ts";
import type { ProvisionedResource } from "../protocol/provider.ts";
import type { Redactor } from "../../redaction/redact.ts";
import { requireParsed } from "../../manifest/request-error.ts";

const MAX_ID_CHARACTERS = 1_000;
const MAX_IDENTIFIER_CHARACTERS = 500;
const MAX_DATA_CHARACTERS = 16_384;

/** What an answer says about the resource that the call made; undefined when it has no id that could be asked about. */
export function readProvisioned(
  { resources }: CatalogEntry,
  scope: ExtractScope,
  redactor: Redactor,
): ProvisionedResource | undefined {
  const rules = resources?.provisions;
  if (rules === undefined) return undefined;
  const externalId = readText(rules.id, scope);
  if (externalId === undefined || externalId.length > MAX_ID_CHARACTERS) return undefined;
  // An id with a secret in it could not be told to anybody.
  if (redactor.text(externalId) !== externalId) return undefined;
  const named = rules.identifier === undefined ? undefined : readText(rules.identifier, scope);
  const identifier = redactor.text(named ?? externalId).slice(0, MAX_IDENTIFIER_CHARACTERS);
  return { externalId, identifier, data: readData(rules.data, scope, redactor) };
}

/** What extractors find, by their names; what is not there, or too large to keep, is left out. */
export function readData(
  sources: Readonly<Record<string, string | number>>,
  scope: ExtractScope,
  redactor: Redactor,
): Record<string, unknown> {
  const found = Object.entries(sources).map(([name, source]) => [name, read(source, scope)] as const);
  const kept = found.filter(([, value]) => (JSON.stringify(value)?.length ?? Infinity) <= MAX_DATA_CHARACTERS);
  return redactor.json(Object.fromEntries(kept));
}

function readText(source: string | number, scope: ExtractScope): string | undefined {
  return toMessage(read(source, scope));
}

function read(source: string | number, scope: ExtractScope): unknown {
  return extract(requireParsed(parseExtractor(source)), scope);
}
