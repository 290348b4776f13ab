import MiniSearch from "minisearch";

/** A thing that has a name: `id` is what a caller must send, `label` what a person may have written instead. */
export interface NamedThing {
  readonly id: string;
  readonly label: string;
}

/** Finds the ids that a mistaken name was probably meant to be. */
export interface NearMisses {
  /** At most `limit` ids, best first; empty when nothing is near. */
  find(mistaken: string, limit?: number): string[];
}

/** Indexes ids and labels for {@link NearMisses}; tolerates spelling mistakes and incomplete words. */
export function indexNearMisses(things: readonly NamedThing[]): NearMisses {
  const index = new MiniSearch<NamedThing>({ fields: ["id", "label"] });
  index.addAll(things);
  return {
    find(mistaken, limit = 3) {
      const matches = index.search(mistaken, { fuzzy: 0.34, prefix: true, boost: { label: 2 } });
      return matches.slice(0, limit).map((match) => String(match.id));
    },
  };
}
