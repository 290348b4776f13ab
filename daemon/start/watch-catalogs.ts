import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "../base/logger.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { StorageAway } from "../ledger/transaction/commit-errors.ts";

/** Leases. Files that are copied to one machine after the other differ for a while. */
const PATIENCE = 3;
const LOOKS_PER_LEASE = 2;

export interface CatalogWatchParts {
  readonly cluster: Cluster;
  readonly catalog: Pick<Catalog, "entries" | "providers" | "pricesOfOwner">;
  readonly logger: Logger;
}

export interface CatalogWatch {
  /** How many other daemons have had another catalog for long. */
  differing(): number;
  close(): Promise<void>;
}

/**
 * Tells the other daemons which catalog this one has, and says once when one of them has had another for three leases: the
 * same request would then have another price, or another answer, depending on who gets it.
 */
export function watchCatalogs({ cluster, catalog, logger }: CatalogWatchParts): CatalogWatch {
  let told: string | undefined;
  let differsSinceMs: number | undefined;
  let differing = 0;
  let looking: Promise<void> | undefined;
  const ownDigest = digestsOf(catalog);

  async function look(): Promise<void> {
    const digest = ownDigest();
    if (digest !== told) await cluster.tell({ catalog: digest, host: hostname() });
    told = digest;
    const others = await cluster.listOthers();
    judge(others.filter(({ facts }) => facts["catalog"] !== undefined && facts["catalog"] !== digest));
  }

  function judge(others: readonly { readonly daemonId: string; readonly facts: Readonly<Record<string, unknown>> }[]) {
    const wasTold = differing > 0;
    const nowMs = performance.now();
    differsSinceMs = others.length === 0 ? undefined : (differsSinceMs ?? nowMs);
    const isLong = differsSinceMs !== undefined && nowMs - differsSinceMs >= PATIENCE * cluster.leaseMs;
    differing = isLong ? others.length : 0;
    if (differing > 0 && !wasTold) {
      const named = others.map(({ daemonId, facts }) => ({ daemonId, host: facts["host"] }));
      logger.warn(
        { host: hostname(), others: named },
        "other daemons on this database have another catalog; deploy the same provider files, routes and prices to all",
      );
    } else if (differing === 0 && wasTold) logger.info({}, "all daemons on this database have the same catalog again");
  }

  function lookOnce(): void {
    looking ??= look()
      .catch((error: unknown) => {
        if (!(error instanceof StorageAway)) logger.warn({ err: error }, "the catalogs of other daemons are not known");
      })
      .finally(() => {
        looking = undefined;
      });
  }

  const timer = setInterval(lookOnce, cluster.leaseMs / LOOKS_PER_LEASE).unref();
  lookOnce();
  return {
    differing: () => differing,
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Of provider files, routes and the owner's prices; worked out again only when the catalog has changed. */
function digestsOf(catalog: CatalogWatchParts["catalog"]): () => string {
  let known: { readonly entries: unknown; readonly digest: string } | undefined;
  return () => {
    const entries = catalog.entries();
    if (known?.entries === entries) return known.digest;
    const files = catalog.providers().map(({ provider, manifestHash }) => [provider, manifestHash]);
    const prices = [...catalog.pricesOfOwner()];
    // The order of files and prices says nothing.
    const parts = [...files, ...prices].map((part) => JSON.stringify(part)).sort();
    const digest = createHash("sha256").update(parts.join("\n")).digest("hex");
    known = { entries, digest };
    return digest;
  };
}
