import type { WorkspaceId } from "../../base/ids.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";

/** The accounts of workspaces at providers whose endpoints need a login. */
export interface AccountLookup {
  /** Why a run of the workspace cannot use its account at the provider; undefined if it can, or needs none. */
  whyNot(workspaceId: WorkspaceId, entry: CatalogEntry): { readonly why: string; readonly next: string } | undefined;
  /** The id of the account that the endpoint would be called with now, another one after each login. */
  accountFor(workspaceId: WorkspaceId, entry: CatalogEntry): string | undefined;
}
