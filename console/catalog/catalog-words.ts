import type { CatalogProviderItem, CatalogUnavailable } from "../../shared/contract/catalog-views.ts";

const SOURCES: Readonly<Record<CatalogProviderItem["source"], string>> = {
  bundled: "Comes with mkt",
  own: "Own file",
  market: "Another market",
};

export function sourceText(source: CatalogProviderItem["source"]): string {
  return SOURCES[source];
}

const NEEDS: Readonly<Record<CatalogUnavailable["reason"], string>> = {
  missingSecret: "Needs a secret",
  needsGrant: "Needs a grant",
  notConnected: "Needs a login",
  notSupported: "Not supported",
  changed: "Changed since its import",
  outage: "In outage",
};

export function needText({ reason, missing }: CatalogUnavailable): string {
  return missing === undefined || missing.length === 0 ? NEEDS[reason] : `${NEEDS[reason]}: ${missing.join(", ")}`;
}
