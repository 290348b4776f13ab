import type { PublicCategoriesResponse, PublicCategoryNode } from "../../../shared/contract/catalog.ts";
import type { CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";
import type { CategoryData, LeafCategory, TopCategory } from "./categories-file.ts";
import { LeafVocabulary, type WeightedText } from "./leaf-vocabulary.ts";
import { didYouMean } from "../../../shared/near-misses.ts";

/**
 * The category tree: which nodes an endpoint belongs to, and the flat list of nodes with counts. Node ids of tops,
 * leaves and providers share one namespace. docs/contract.md, "Categories".
 */
export class CategoryTree {
  readonly #tops: ReadonlyMap<string, TopCategory>;
  readonly #leaves: ReadonlyMap<string, LeafCategory>;
  readonly #placements: ReadonlyMap<string, readonly string[]>;
  readonly #parents = new Map<string, string[]>();
  #vocabulary: LeafVocabulary | undefined;

  constructor(data: CategoryData) {
    this.#tops = new Map(data.tops.map((top) => [top.id, top]));
    this.#leaves = new Map(data.leaves.map((leaf) => [leaf.id, leaf]));
    this.#placements = data.placements;
    for (const top of data.tops) {
      for (const id of top.children) this.#parents.set(id, [...(this.#parents.get(id) ?? []), top.id]);
    }
  }

  /** Whether the id belongs to a top or a leaf, so that no provider may have it as its slug. */
  has(id: string): boolean {
    return this.#tops.has(id) || this.#leaves.has(id);
  }

  /** Why a path such as `top/leaf` is not in the tree; undefined when it is. */
  explainUnknown(path: string): string | undefined {
    const [topId = "", leafId = ""] = path.split("/");
    const top = this.#tops.get(topId);
    if (top?.children.includes(leafId) === true) return undefined;
    const mending = "add it to categories.yaml in this folder";
    if (top === undefined) return `there is no top "${topId}": ${mending}${didYouMean(path, this.#paths())}`;
    if (!this.#leaves.has(leafId)) return `there is no leaf "${leafId}": ${mending}${didYouMean(path, this.#paths())}`;
    return `"${leafId}" is no child of "${topId}": ${mending}${didYouMean(path, this.#paths())}`;
  }

  /** The path `top/leaf` that shares the most words with a text; undefined when nothing fits well enough. */
  placeByText(texts: readonly WeightedText[]): string | undefined {
    this.#vocabulary ??= new LeafVocabulary([...this.#leaves.values()]);
    const leaf = this.#vocabulary.nearest(texts);
    const top = leaf === undefined ? undefined : this.#parents.get(leaf)?.[0];
    return top === undefined ? undefined : `${top}/${leaf}`;
  }

  /** The paths that a provider's placement gives to its endpoints: `top/slug`. */
  placementPaths(provider: string): string[] {
    return (this.#placements.get(provider) ?? []).map((top) => `${top}/${provider}`);
  }

  /** Ids of all nodes that an endpoint belongs to: leaves, the tops that link them, and its provider's placement. */
  nodesOf(entry: Pick<CatalogEntry, "categories" | "provider">): ReadonlySet<string> {
    const nodes = new Set<string>();
    const slug = entry.provider.provider;
    for (const path of entry.categories) {
      const leaf = path.slice(path.indexOf("/") + 1);
      if (leaf === slug && !this.#leaves.has(leaf)) continue;
      nodes.add(leaf);
      for (const top of this.#parents.get(leaf) ?? []) nodes.add(top);
    }
    const placed = this.#placements.get(slug) ?? [];
    if (placed.length > 0) nodes.add(slug);
    for (const top of placed) nodes.add(top);
    return nodes;
  }

  /** Whether an endpoint passes a category filter; a top covers its group. An unknown id matches nothing. */
  covers(nodeId: string, entry: Pick<CatalogEntry, "categories" | "provider">): boolean {
    return this.nodesOf(entry).has(nodeId);
  }

  /**
   * The flat list over the endpoints given: tops in priority order, then leaves, then providers, each of these by
   * display name. Hidden, unlinked and empty nodes are left out. `category` narrows the list to one node, a top with
   * its members; the total still counts all endpoints given.
   */
  list(
    entries: readonly Pick<CatalogEntry, "categories" | "provider">[],
    filter: { readonly category?: string | undefined } = {},
  ): PublicCategoriesResponse {
    const counts = new Map<string, number>();
    const providers = new Map<string, CatalogProvider>();
    for (const entry of entries) {
      for (const id of this.nodesOf(entry)) counts.set(id, (counts.get(id) ?? 0) + 1);
      providers.set(entry.provider.provider, entry.provider);
    }
    const items = this.#nodes(counts, providers);
    return { items: narrow(items, filter.category), totalEndpointCount: entries.length };
  }

  #nodes(counts: ReadonlyMap<string, number>, providers: ReadonlyMap<string, CatalogProvider>): PublicCategoryNode[] {
    const tops = [...this.#tops.values()].filter(({ id, hidden }) => !hidden && counts.has(id));
    const shownTops = new Set(tops.map(({ id }) => id));
    const parentsOf = (ids: readonly string[]) => ids.filter((id) => shownTops.has(id));

    const leafNodes: PublicCategoryNode[] = [...this.#leaves.values()]
      .filter(({ id, hidden }) => !hidden && counts.has(id) && parentsOf(this.#parents.get(id) ?? []).length > 0)
      .map((leaf) => ({
        ...common(leaf, counts),
        kind: "category",
        parents: parentsOf(this.#parents.get(leaf.id) ?? []),
      }));
    const providerNodes: PublicCategoryNode[] = [...providers.values()]
      .map((provider) => ({ provider, parents: parentsOf(this.#placements.get(provider.provider) ?? []) }))
      .filter(({ parents }) => parents.length > 0)
      .map(({ provider, parents }) => ({
        ...common({ ...provider, id: provider.provider }, counts),
        kind: "provider",
        provider: provider.provider,
        parents,
        ...(provider.url !== undefined && { url: provider.url }),
      }));
    leafNodes.sort(byDisplayName);
    providerNodes.sort(byDisplayName);

    const shownLeaves = new Set(leafNodes.map(({ id }) => id));
    const topNodes: PublicCategoryNode[] = tops.map((top) => ({
      ...common(top, counts),
      kind: "top",
      children: [
        ...top.children.filter((id) => shownLeaves.has(id)),
        ...providerNodes
          .filter((node) => node.kind === "provider" && node.parents.includes(top.id))
          .map(({ id }) => id),
      ],
    }));
    return [...topNodes, ...leafNodes, ...providerNodes];
  }

  #paths(): string[] {
    return [...this.#tops.values()].flatMap(({ id, children }) => children.map((leaf) => `${id}/${leaf}`));
  }
}

function common(
  node: { readonly id: string; readonly displayName: string; readonly description?: string | undefined },
  counts: ReadonlyMap<string, number>,
) {
  return {
    id: node.id,
    displayName: node.displayName,
    ...(node.description !== undefined && { description: node.description }),
    endpointCount: counts.get(node.id) ?? 0,
  };
}

function byDisplayName(a: PublicCategoryNode, b: PublicCategoryNode): number {
  return a.displayName.localeCompare(b.displayName, "en") || (a.id < b.id ? -1 : 1);
}

function narrow(items: readonly PublicCategoryNode[], category: string | undefined): PublicCategoryNode[] {
  if (category === undefined) return [...items];
  const node = items.find(({ id }) => id === category);
  if (node === undefined) return [];
  if (node.kind !== "top") return [node];
  const members = new Set(node.children);
  return items.filter(({ id }) => id === category || members.has(id));
}
