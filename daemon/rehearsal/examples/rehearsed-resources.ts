import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { normalizeInput } from "../../catalog/input/input-validation.ts";
import { extract, parseExtractor } from "../../manifest/extract.ts";
import type { ResourceReference } from "../../manifest/manifest.ts";
import type { ResourceRecord } from "../../ledger/records/resource-record.ts";

/** The resources that an example's input names, as if a run had created them; without rent. */
export function ownedForRehearsal(
  entry: CatalogEntry,
  input: Readonly<Record<string, unknown>>,
  at: string,
): ResourceRecord[] {
  const { uses = [], updates = [], releases = [] } = entry.resources ?? {};
  const composite = normalizeInput(entry, input);
  return [...uses, ...updates, ...releases].flatMap((reference) =>
    namesIn(composite, reference).map((name) => resourceOf(entry, reference, { name, at })),
  );
}

function namesIn(input: ReturnType<typeof normalizeInput>, { id }: ResourceReference): string[] {
  const parsed = parseExtractor(id);
  const value = parsed.ok ? extract(parsed.value, { input }) : undefined;
  return [value].flat().flatMap((name) => (typeof name === "string" || typeof name === "number" ? String(name) : []));
}

function resourceOf(
  { provider }: CatalogEntry,
  { resource }: ResourceReference,
  { name, at }: { readonly name: string; readonly at: string },
): ResourceRecord {
  return {
    resourceId: `rehearsed-${resource}-${name}`,
    revision: 1,
    workspaceId: "rehearsal",
    provider: provider.provider,
    providerName: provider.displayName,
    resource,
    resourceType: "machine",
    displayName: resource,
    externalId: name,
    identifier: name,
    data: {},
    state: "ACTIVE",
    runId: "rehearsal",
    owner: "rehearsal",
    provisionedBy: "rehearsal",
    createdAt: at,
    updatedAt: at,
    events: [],
  };
}
