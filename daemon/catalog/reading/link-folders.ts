import { type LinkedRoutes, linkRoutes } from "../alternatives/link-routes.ts";
import type { CatalogEntry } from "../entries/catalog-entry.ts";
import type { LoadedFolders } from "./catalog-loader.ts";

/** The routes of all folders, joined with the endpoints that they name, wherever those come from. */
export function linkFolders({
  providers,
  routes: { routes },
}: Pick<LoadedFolders, "providers" | "routes">): LinkedRoutes {
  const named = new Map<string, CatalogEntry>();
  if (routes.length > 0) {
    for (const { provider, entries } of providers) {
      for (const entry of entries) named.set(`${provider.provider}${entry.path}`, entry);
    }
  }
  return linkRoutes(routes, {
    find: (provider, path) => {
      const entry = named.get(`${provider}${path}`);
      return entry?.enabled === true ? entry : undefined;
    },
    names: () => [...named.values()].filter(({ enabled }) => enabled).map(nameOf),
    whyDisabled: (provider, path) =>
      named.get(`${provider}${path}`)?.enabled === false ? "its file says enabled: false" : undefined,
  });
}

function nameOf({ provider, path }: CatalogEntry): string {
  return `${provider.provider}${path}`;
}
