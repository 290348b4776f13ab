import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CatalogEntry, CatalogResource } from "./catalog-entry.ts";
import type { LoadedProvider, ProviderFile } from "./provider-file.ts";

/** What a kept reading depends on beside the program: when any of it differs, the file is read anew. */
export interface ReadingKey {
  readonly file: string;
  /** Of the file and of the category files. */
  readonly stamp: string;
}

/**
 * Provider files as they were read and checked, so that the next start need not do it again: reading YAML and checking
 * takes a hundred times as long as reading what came of it. A cache: losing it loses nothing, and whatever is wrong with
 * it counts as its absence.
 */
export interface ProviderFileCache {
  find(key: ReadingKey): Promise<ProviderFile | undefined>;
  /** Writes in the background. */
  put(key: ReadingKey, read: ProviderFile): void;
  /** Lets go of what is kept of other files. */
  retain(files: Iterable<string>): Promise<void>;
  /** Resolves when nothing is being written. */
  close(): Promise<void>;
}

/** `build`: what another build of the program has otherwise. `dir` is made when there is something to keep. */
export function openProviderFileCache({ dir, build }: { dir: string; build: string }): ProviderFileCache {
  let writing: Promise<void> = Promise.resolve();

  async function write(key: ReadingKey, read: ProviderFile): Promise<void> {
    const path = join(dir, nameOf(key.file));
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.tmp`, JSON.stringify({ build, ...key, read: fold(read) }), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  }

  return {
    async find({ file, stamp }) {
      try {
        const kept = JSON.parse(await readFile(join(dir, nameOf(file)), "utf8")) as Kept;
        const isSame = kept.build === build && kept.file === file && kept.stamp === stamp;
        return isSame ? unfold(kept.read) : undefined;
      } catch {
        return undefined;
      }
    },
    put(key, read) {
      writing = writing.then(async () => await write(key, read).catch(() => {}));
    },
    async retain(files) {
      const names = new Set([...files].map(nameOf));
      const found = await readdir(dir).catch(() => []);
      await Promise.all(found.filter((name) => !names.has(name)).map((name) => rm(join(dir, name), { force: true })));
    },
    close: () => writing,
  };
}

interface Kept extends ReadingKey {
  readonly build: string;
  readonly read: FoldedFile;
}

/** What many endpoints of a file have alike is written once, and is one object again when it is read. */
const ALIKE = ["http", "price", "priceWithoutMarkup", "usage", "output", "errors", "async", "notes", "tags"] as const;
type Alike = (typeof ALIKE)[number];

type FoldedEntry = Omit<CatalogEntry, "provider" | Alike> & { readonly [member in Alike]?: number };

interface FoldedFile extends Omit<ProviderFile, "loaded"> {
  readonly alike: readonly unknown[];
  readonly provider?: LoadedProvider["provider"];
  readonly entries?: readonly FoldedEntry[];
  readonly resources?: readonly Omit<CatalogResource, "provider">[];
}

function fold({ loaded, ...rest }: ProviderFile): FoldedFile {
  const alike: unknown[] = [];
  if (loaded === undefined) return { ...rest, alike };
  const places = new Map<string, number>();
  const placeOf = (value: unknown): number => {
    const text = JSON.stringify(value);
    const place = places.get(text) ?? alike.push(value) - 1;
    places.set(text, place);
    return place;
  };
  const entries = loaded.entries.map(({ provider: _, ...entry }) => {
    const folded: Record<string, unknown> = { ...entry };
    for (const member of ALIKE) if (entry[member] !== undefined) folded[member] = placeOf(entry[member]);
    return folded as unknown as FoldedEntry;
  });
  const resources = loaded.resources.map(({ provider: _, ...resource }) => resource);
  return { ...rest, alike, provider: loaded.provider, entries, resources };
}

function unfold({ alike, provider, entries = [], resources = [], ...rest }: FoldedFile): ProviderFile {
  if (provider === undefined) return rest;
  return {
    ...rest,
    loaded: {
      provider,
      entries: entries.map((folded) => {
        const entry: Record<string, unknown> = { ...folded, provider };
        for (const member of ALIKE) {
          const place = folded[member];
          if (place !== undefined) entry[member] = alike[place];
        }
        return entry as unknown as CatalogEntry;
      }),
      resources: resources.map((resource) => ({ ...resource, provider })),
    },
  };
}

function nameOf(file: string): string {
  return `${createHash("sha256").update(file).digest("hex")}.json`;
}
