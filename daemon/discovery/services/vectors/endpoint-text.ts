import type { CatalogEntry } from "../../../catalog/entries/catalog-entry.ts";

/** Some models refuse more than 512 tokens, and none handles the end of a long text well. */
const MAX_CHARACTERS = 2_000;

/**
 * An endpoint as services read it: its name, what it does, its asks; but not how it is called, its prices or secrets.
 * `without` is left out wherever it occurs literally.
 */
export function endpointText(entry: CatalogEntry, { without }: { readonly without?: string } = {}): string {
  const parts = [
    entry.displayName,
    entry.provider.displayName,
    entry.description,
    ...entry.asks,
    entry.tags.join(", "),
    entry.categories.map((category) => category.replaceAll(/[/-]/g, " ")).join(", "),
    parameterNames(entry).join(", "),
  ];
  const text = parts.filter((part) => part !== "" && part !== without).join("\n");
  return cutAt(text, MAX_CHARACTERS);
}

function parameterNames({ input }: CatalogEntry): string[] {
  return [input.pathParams, input.queryParams, input.body].flatMap((schema) => {
    const properties = schema?.["properties"];
    return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  });
}

/** Never splits a surrogate pair. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}
