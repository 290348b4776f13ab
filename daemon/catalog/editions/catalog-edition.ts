import type { CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";
import type { CatalogProblem } from "../problems/catalog-problem.ts";
import type { CategoryTree } from "../categories/category-tree.ts";
import type { LoadedFolders } from "../reading/catalog-loader.ts";
import { linkFolders } from "../reading/link-folders.ts";
import type { LoadedProvider } from "../reading/provider-file.ts";
import type { ThesaurusData } from "../thesaurus/thesaurus-file.ts";

/** All catalog folders as they were at one time, indexed for look-ups. Immutable: a reload makes a new one. */
export class CatalogEdition {
  readonly tree: CategoryTree;
  readonly thesaurus: ThesaurusData;
  readonly problems: readonly CatalogProblem[];
  /** The problems that keep whole files out, by slug. */
  readonly notLoaded: ReadonlyMap<string, readonly CatalogProblem[]>;
  /** The problems that keep routes out, by their name. */
  readonly routesNotLoaded: ReadonlyMap<string, readonly CatalogProblem[]>;
  /** All routes, as if they were the endpoints of one provider; absent when there is none. */
  readonly routes: LoadedProvider | undefined;
  /** By slug. */
  readonly providers: ReadonlyMap<string, LoadedProvider>;
  /** The enabled endpoints: by provider, then by path. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, CatalogEntry>>;
  /** All enabled endpoints, by provider slug and then as authored. */
  readonly list: readonly CatalogEntry[];

  constructor(loaded: LoadedFolders) {
    const { providers, tree, thesaurus, problems, notLoaded } = loaded;
    const linked = linkFolders(loaded);
    this.tree = tree;
    this.thesaurus = thesaurus;
    this.problems = linked.problems.length === 0 ? problems : [...problems, ...linked.problems];
    this.notLoaded = notLoaded;
    this.routesNotLoaded = new Map([...loaded.routes.notLoaded, ...linked.notLoaded]);
    const { provider: ofRoutes, entries: routes } = linked;
    this.routes = ofRoutes === undefined ? undefined : { provider: ofRoutes, entries: routes, resources: [] };
    const sorted = [...providers, ...(this.routes === undefined ? [] : [this.routes])].sort((a, b) =>
      slugOf(a.provider) < slugOf(b.provider) ? -1 : 1,
    );
    this.providers = new Map(sorted.map((one) => [slugOf(one.provider), one]));
    this.list = sorted.flatMap(({ entries }) => entries.filter(({ enabled }) => enabled));
    this.entries = new Map(
      sorted.map(({ provider, entries }) => [
        slugOf(provider),
        new Map(entries.filter(({ enabled }) => enabled).map((entry) => [entry.path, entry])),
      ]),
    );
  }
}

function slugOf({ provider }: CatalogProvider): string {
  return provider;
}
