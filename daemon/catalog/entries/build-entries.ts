import { visibleText } from "../../../shared/hidden-text.ts";
import { applyMarkup } from "../../billing/markup.ts";
import { buildResources, buildResourceUse } from "./build-resources.ts";
import type { CatalogEntry, CatalogProvider, CatalogResource } from "./catalog-entry.ts";
import { originOf } from "../../manifest/url-origin.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "./merge-endpoint.ts";
import { mergeHttp } from "./merge-endpoint.ts";
import type { CatalogSource } from "../parsing/read-manifest-file.ts";

export interface ProviderFacts {
  readonly source: Pick<CatalogSource, "file" | "hash">;
  readonly trusted: boolean;
}

/**
 * Turns a checked file into its provider and what it serves, with prices as callers see them and costs as the operator
 * bears them. Texts are served as people see them, so they cannot hide words for models or for the ranking.
 */
export function buildEntries(
  { manifest, drafts }: { readonly manifest: Manifest; readonly drafts: readonly EndpointDraft[] },
  facts: ProviderFacts,
): {
  readonly provider: CatalogProvider;
  readonly entries: readonly CatalogEntry[];
  readonly resources: readonly CatalogResource[];
} {
  const provider = buildProvider(manifest, drafts, facts);
  return {
    provider,
    entries: drafts.map((draft) => buildEntry(provider, manifest, draft)),
    resources: buildResources(provider, manifest),
  };
}

function buildProvider(
  manifest: Manifest,
  drafts: readonly EndpointDraft[],
  { source, trusted }: ProviderFacts,
): CatalogProvider {
  const { description, url, docUrl } = manifest;
  const baseUrl = manifest.http?.baseUrl ?? drafts.find(({ http }) => http.baseUrl !== undefined)?.http.baseUrl;
  return {
    provider: manifest.provider,
    displayName: visibleText(manifest.displayName ?? manifest.provider),
    ...(description !== undefined && { description: visibleText(description) }),
    ...(url !== undefined && { url }),
    ...(docUrl !== undefined && { docUrl }),
    manifestHash: source.hash,
    file: source.file,
    trusted,
    ...(manifest.source !== undefined && { importedFrom: manifest.source.kind }),
    origin: (baseUrl === undefined ? undefined : originOf(baseUrl)) ?? "",
    secrets: manifest.secrets,
    ...buildVerify(manifest),
  };
}

function buildVerify({ verify, http, errors }: Manifest): Pick<CatalogProvider, "verify"> {
  if (verify === undefined) return {};
  const { none, refusedIf, method = "GET", ...call } = verify;
  if (none !== undefined) return { verify: { none, refusedIf } };
  const merged = mergeHttp(http);
  return {
    verify: { call: { ...call, method }, refusedIf, http: { ...merged, baseUrl: merged.baseUrl ?? "" }, errors },
  };
}

function buildEntry(provider: CatalogProvider, manifest: Manifest, draft: EndpointDraft): CatalogEntry {
  const { manifestPrice, http, asyncMissing: _, notRunnable, resourceUse, ...shared } = draft;
  if (manifestPrice === undefined || http.baseUrl === undefined) {
    throw new Error(`${provider.provider}${draft.path} was not checked before it was built`);
  }
  const whyNot = notRunnable ?? whyNotRunnable(draft);
  return {
    ...shared,
    displayName: visibleText(shared.displayName),
    description: visibleText(shared.description),
    tags: shared.tags.map(visibleText),
    notes: shared.notes.map(visibleText),
    provider,
    http: { ...http, baseUrl: http.baseUrl },
    price: applyMarkup(manifestPrice, manifest.markup),
    priceWithoutMarkup: applyMarkup(manifestPrice),
    ...(draft.request.run !== undefined && { marketMarkup: manifest.markup?.percent ?? 0 }),
    ...(resourceUse !== undefined && { resources: buildResourceUse(resourceUse, manifest, manifestPrice) }),
    ...(whyNot !== undefined && { notRunnable: whyNot }),
  };
}

function whyNotRunnable({ manifestPrice, resourceUse }: EndpointDraft): string | undefined {
  if (manifestPrice?.type === "BY_PERIOD" && resourceUse?.provisions === undefined) {
    return "it is priced by the period and provisions no resource, which this version cannot charge";
  }
  return undefined;
}
