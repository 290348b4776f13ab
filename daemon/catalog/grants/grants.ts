import { z } from "zod";
import type { CatalogProvider } from "../entries/catalog-entry.ts";
import type { ProviderDemands } from "./provider-demands.ts";

/**
 * What the operator allowed a provider's file to use. Stored by provider and bound to the origins that it had.
 * docs/manifest.md, "Grants".
 */
export const Grant = z.strictObject({
  provider: z.string(),
  origin: z.string(),
  variables: z.array(z.string()),
  privateHosts: z.array(z.string()),
  /** ISO 8601. */
  grantedAt: z.string(),
});
export type Grant = z.infer<typeof Grant>;

/** The document `<data>/docs/grants.json`. */
export const GrantsDocument = z.strictObject({ grants: z.array(Grant) });
export type GrantsDocument = z.infer<typeof GrantsDocument>;

/** Where grants are kept; at most one for each provider. */
export interface GrantStore {
  /** The same object as long as nothing changes. */
  list(): readonly Grant[];
  /** Resolves when durable. Replaces what was granted before. */
  put(grant: Grant): Promise<void>;
  /** Resolves when durable; false when there was none. */
  remove(provider: string): Promise<boolean>;
}

/** The part of the document store that grants need. */
export interface GrantsDocumentFile {
  readonly data: GrantsDocument;
  update(change: (data: GrantsDocument) => void): Promise<void>;
}

export class DocumentGrantStore implements GrantStore {
  readonly #document: GrantsDocumentFile;

  constructor(document: GrantsDocumentFile) {
    this.#document = document;
  }

  list(): readonly Grant[] {
    return this.#document.data.grants;
  }

  async put(grant: Grant): Promise<void> {
    await this.#document.update((data) => {
      data.grants = [...data.grants.filter(({ provider }) => provider !== grant.provider), grant];
    });
  }

  async remove(provider: string): Promise<boolean> {
    const existed = this.list().some((grant) => grant.provider === provider);
    if (existed) {
      await this.#document.update((data) => {
        data.grants = data.grants.filter((grant) => grant.provider !== provider);
      });
    }
    return existed;
  }
}

/**
 * Whether the operator's grant covers what a file requests now. It lapses when the origin changes or when the file
 * requests more than it did. Trusted folders carry their grants; a private host named in the daemon's own setting needs
 * none.
 */
export function isGranted(
  provider: Pick<CatalogProvider, "provider" | "trusted">,
  demands: ProviderDemands,
  context: { readonly grants: readonly Grant[]; readonly allowPrivateHosts: ReadonlySet<string> },
): boolean {
  if (provider.trusted) return true;
  const grant = context.grants.find((candidate) => candidate.provider === provider.provider);
  const current = grant?.origin === demands.origin ? grant : undefined;
  const variables = new Set(current?.variables ?? []);
  const hosts = new Set(current?.privateHosts ?? []);
  return (
    demands.variables.every((variable) => variables.has(variable)) &&
    demands.privateHosts.every((host) => hosts.has(host) || isNamed(host, context.allowPrivateHosts))
  );
}

function isNamed(host: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has(host) || allowed.has(host.replace(/:\d+$/, ""));
}
