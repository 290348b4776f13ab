import type { CatalogEntry } from "../../../catalog/entries/catalog-entry.ts";

/** Some models refuse what is longer than 512 tokens, and none reads the end of a long text well. */
const MAX_CHARACTERS = 2_000;

/**
 * An endpoint as services read it: what it is called, what it does, what is asked of it. Nothing of how it is called, of
 * prices or of secrets. `without` is left out wherever it stands as it is.
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

/** Never between the two halves of one character. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}
