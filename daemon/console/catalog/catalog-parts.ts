import type { SecretVerdict } from "../../../shared/contract/secret-verdicts.ts";
import type { WorkspaceId } from "../../base/ids.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { CatalogEntry, CatalogProvider } from "../../catalog/entries/catalog-entry.ts";
import type { Health } from "../../discovery/health/health.ts";

/** What the views of the catalog are made of: all of it is in memory. */
export interface CatalogViewParts {
  readonly catalog: Pick<
    Catalog,
    "providers" | "findProvider" | "entriesOf" | "availability" | "standing" | "resolveSecrets" | "problems" | "grants"
  >;
  readonly health: Pick<Health, "metrics" | "history">;
  readonly verdicts: { of(provider: CatalogProvider): Promise<SecretVerdict | undefined> };
  /** Why the account of a workspace cannot be used for an endpoint; undefined if it can, or none is needed. */
  readonly accounts: {
    whyNot(workspaceId: WorkspaceId, entry: CatalogEntry): { readonly why: string; readonly next: string } | undefined;
  };
  /** The folder of the catalog that comes with the program. */
  readonly bundledDir: string | undefined;
}
