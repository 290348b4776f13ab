import { parse } from "yaml";
import { buildEntries } from "../../daemon/catalog/entries/build-entries.ts";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import { Manifest } from "../../daemon/manifest/manifest.ts";
import { mergeEndpoint } from "../../daemon/catalog/entries/merge-endpoint.ts";

/** The one endpoint (or the named one) of a manifest text, as the catalog would serve it; nothing but shapes checked. */
export function entryOf(yaml: string, path?: string): CatalogEntry {
  const manifest = Manifest.parse(parse(yaml));
  const drafts = Object.entries(manifest.endpoints).map(([key, endpoint]) => mergeEndpoint(manifest, key, endpoint));
  const facts = { source: { file: `${manifest.provider}.yaml`, hash: "0".repeat(64) }, trusted: true };
  const { entries } = buildEntries({ manifest, drafts }, facts);
  const found = entries.find((entry) => path === undefined || entry.path === path);
  if (found === undefined) throw new Error(`no endpoint ${path} in the manifest`);
  return found;
}
