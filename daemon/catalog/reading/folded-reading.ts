import type { CatalogEntry, CatalogResource } from "../entries/catalog-entry.ts";
import type { LoadedProvider, ProviderFile } from "./provider-file.ts";

/** Parts that many endpoints of a file share are written once, and become one object again when it is read. */
const ALIKE = ["http", "price", "priceWithoutMarkup", "usage", "output", "errors", "async", "notes", "tags"] as const;
type Alike = (typeof ALIKE)[number];

type FoldedEntry = Omit<CatalogEntry, "provider" | Alike> & { readonly [member in Alike]?: number };

/** A provider file's reading in a form that JSON can hold: small, without duplicate parts. */
export interface FoldedReading extends Omit<ProviderFile, "loaded"> {
  readonly alike: readonly unknown[];
  readonly provider?: LoadedProvider["provider"];
  readonly entries?: readonly FoldedEntry[];
  readonly resources?: readonly (Omit<CatalogResource, "provider"> & { readonly provider?: undefined })[];
}

export function foldReading({ loaded, ...rest }: ProviderFile): FoldedReading {
  const alike: unknown[] = [];
  if (loaded === undefined) return { ...rest, alike };
  const places = new Map<string, number>();
  const placeOf = (value: unknown): number => {
    const text = JSON.stringify(value);
    const place = places.get(text) ?? alike.push(value) - 1;
    places.set(text, place);
    return place;
  };
  const entries = loaded.entries.map((entry) => {
    // Written once, beside the entries.
    const folded: Record<string, unknown> = { ...entry, provider: undefined };
    for (const member of ALIKE) if (entry[member] !== undefined) folded[member] = placeOf(entry[member]);
    return folded as unknown as FoldedEntry;
  });
  const resources = loaded.resources.map((resource) => ({ ...resource, provider: undefined }));
  return { ...rest, alike, provider: loaded.provider, entries, resources };
}

/** Throws for anything that `foldReading` did not produce. */
export function unfoldReading({ alike, provider, entries = [], resources = [], ...rest }: FoldedReading): ProviderFile {
  if (provider === undefined) return rest;
  return {
    ...rest,
    loaded: {
      provider,
      entries: entries.map((folded) => {
        const entry: Record<string, unknown> = { ...folded, provider };
        for (const member of ALIKE) {
          const place = folded[member];
          if (place === undefined) continue;
          if (alike[place] === undefined) throw new Error(`the reading has no part ${place}`);
          entry[member] = alike[place];
        }
        return entry as unknown as CatalogEntry;
      }),
      resources: resources.map((resource) => ({ ...resource, provider })),
    },
  };
}
