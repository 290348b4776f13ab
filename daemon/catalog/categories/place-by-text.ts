import type { Manifest } from "../../manifest/manifest.ts";
import type { CategoryTree } from "./category-tree.ts";

const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_ENDPOINTS = 100;

/**
 * The place of a provider whose author gave it no category: at most one path, by its name, tags and description and the
 * names of its endpoints. Its endpoints get it too, unless they have categories of their own.
 */
export function placeByText(manifest: Manifest, tree: CategoryTree): readonly string[] {
  if (manifest.categories.length > 0) return [];
  const endpoints = Object.entries(manifest.endpoints).slice(0, MAX_ENDPOINTS);
  const path = tree.placeByText([
    { text: `${manifest.displayName ?? ""} . ${manifest.provider}`, weight: 4 },
    { text: manifest.tags.join(" . "), weight: 2 },
    { text: (manifest.description ?? "").slice(0, MAX_DESCRIPTION_CHARACTERS), weight: 2 },
    {
      text: endpoints.flatMap(([name, { displayName, tags }]) => [displayName ?? name, ...(tags ?? [])]).join(" . "),
      weight: 1,
    },
  ]);
  return path === undefined ? [] : [path];
}
