import type { CatalogEntry } from "./catalog-entry.ts";

/** Hosts of the markets between this service and the provider, the first one first; nothing for a provider of this service. */
export function viaOf({ request: { run }, http }: CatalogEntry): { readonly via?: string[] } {
  return run === undefined ? {} : { via: [new URL(http.baseUrl).host, ...run.through] };
}
