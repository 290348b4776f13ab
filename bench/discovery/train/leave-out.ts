/**
 * Which sources of pairs share something with a collection: none of them is in the vectors that the collection is measured
 * with. Collections that are not listed have no source of their own among the pairs. `haystack` has the queries of `restbench`
 * and `toolalpaca`. Source: the README of the collections.
 */
const ownSources: Readonly<Record<string, readonly string[]>> = {
  metatool: ["metatool"],
  "bfcl-live": ["apibench", "bfcl-nonlive"],
  sealtools: ["sealtools"],
  toolalpaca: ["publicapis"],
  haystack: ["publicapis"],
};

/** Vectors that are trained without some sources. */
export interface Variant {
  /** "without-metatool", for instance; "all" where nothing is left out. */
  readonly name: string;
  readonly withoutSources: readonly string[];
}

/** The variant that a collection may be measured with. */
export function variantFor(collection: string): Variant {
  const withoutSources = ownSources[collection] ?? [];
  return { name: withoutSources.length === 0 ? "all" : `without-${withoutSources.join("-")}`, withoutSources };
}

/** All variants that some collection needs, each once, but for "all". */
export function leaveOutVariants(): readonly Variant[] {
  const variants = Object.keys(ownSources).map(variantFor);
  return [...new Map(variants.map((variant) => [variant.name, variant])).values()];
}
