import { ApiError } from "../../shared/errors.ts";
import { type Availability, missesSecrets, needsGrant, notSupported } from "./availability.ts";
import type { CatalogEntry, CatalogProvider, CatalogResource } from "./catalog-entry.ts";
import type { CatalogProblem } from "./catalog-problem.ts";
import type { CategoryTree } from "./categories.ts";
import { type Grant, type GrantStore, isGranted } from "./grants.ts";
import { type CatalogFolder, type LoadedFolders, type LoadedProvider, loadFolders } from "./load-catalog.ts";
import { quoteWord } from "../../shared/hints/shell-words.ts";
import { didYouMean } from "../../shared/near-misses.ts";
import { type FilledTemplate, findFilledTemplate } from "./filled-template.ts";
import { demandsOf, type ProviderDemands } from "./provider-demands.ts";
import type { SecretStore } from "./secret-store.ts";
import { type Environment, findMissingSecrets, type MissingSecret, overlay, readSecrets } from "./secrets.ts";

export interface CatalogParts {
  /** Bundled first: of two files for one provider the first is kept. */
  readonly folders: readonly CatalogFolder[];
  readonly grants: GrantStore;
  /** Where secrets come from, once granted. */
  readonly environment: Environment;
  /** What the operator stored, for what the environment does not have. */
  readonly storedSecrets?: Pick<SecretStore, "values" | "everKnown">;
  /** `host` or `host:port`: private hosts that the operator named for the whole daemon. Manifest rule 4. */
  readonly allowPrivateHosts?: Iterable<string>;
}

/** How a provider stands with the operator. */
export interface ProviderStanding {
  readonly granted: boolean;
  readonly demands: ProviderDemands;
  /** Secrets that are not set; empty as long as there is no grant, because then nothing is read. */
  readonly missing: readonly MissingSecret[];
}

const NO_SECRETS: Environment = {};
const NOTHING_STORED: readonly string[] = [];

export async function loadCatalog(parts: CatalogParts): Promise<Catalog> {
  return new Catalog(parts, await loadFolders(parts.folders));
}

/** The providers and endpoints of all catalog folders, in memory. */
export class Catalog {
  readonly folders: readonly string[];
  readonly categories: CategoryTree;
  readonly grants: GrantStore;
  readonly #secretSource: () => Environment;
  readonly #storedSecrets: CatalogParts["storedSecrets"];
  readonly #allowPrivateHosts: ReadonlySet<string>;
  readonly #problems: readonly CatalogProblem[];
  readonly #providers = new Map<string, LoadedProvider>();
  readonly #demands = new Map<string, ProviderDemands>();
  readonly #entries = new Map<string, Map<string, CatalogEntry>>();
  readonly #list: readonly CatalogEntry[];
  /** What was found for the grants and the stored secrets of that time: every line of the log asks. */
  #secretValues:
    | { readonly grants: readonly Grant[]; readonly stored: readonly string[]; readonly values: readonly string[] }
    | undefined;

  constructor(parts: CatalogParts, { providers, tree, problems }: LoadedFolders) {
    this.folders = parts.folders.map(({ dir }) => dir);
    this.categories = tree;
    this.grants = parts.grants;
    this.#storedSecrets = parts.storedSecrets;
    this.#secretSource = overlay(parts.environment, () => parts.storedSecrets?.values() ?? NO_SECRETS);
    this.#allowPrivateHosts = new Set([...(parts.allowPrivateHosts ?? [])].map((host) => host.toLowerCase()));
    this.#problems = problems;
    for (const loaded of [...providers].sort((a, b) => (a.provider.provider < b.provider.provider ? -1 : 1))) {
      const slug = loaded.provider.provider;
      const enabled = loaded.entries.filter((entry) => entry.enabled);
      this.#providers.set(slug, loaded);
      this.#demands.set(slug, demandsOf(loaded.provider, [...loaded.entries, ...loaded.resources]));
      this.#entries.set(slug, new Map(enabled.map((entry) => [entry.path, entry])));
    }
    this.#list = [...this.#entries.values()].flatMap((entries) => [...entries.values()]);
  }

  /** All enabled endpoints, by provider slug and then as authored. The list is the same object as long as the catalog is. */
  entries(): readonly CatalogEntry[] {
    return this.#list;
  }

  /** The enabled endpoints of one provider; empty when there is no such provider. */
  entriesOf(provider: string): readonly CatalogEntry[] {
    return [...(this.#entries.get(provider)?.values() ?? [])];
  }

  /** All providers, by slug. */
  providers(): readonly CatalogProvider[] {
    return [...this.#providers.values()].map(({ provider }) => provider);
  }

  findProvider(provider: string): CatalogProvider | undefined {
    return this.#providers.get(provider)?.provider;
  }

  /** A kind of resource as its provider's file describes it now. */
  findResource(provider: string, slug: string): CatalogResource | undefined {
    return this.#providers.get(provider)?.resources.find((resource) => resource.slug === slug);
  }

  /** What is wrong in the folders, in the order of the files. */
  problems(): readonly CatalogProblem[] {
    return this.#problems;
  }

  /** An enabled endpoint; a path without its leading slash is understood. */
  find(provider: string, path: string): CatalogEntry | undefined {
    return this.#entries.get(provider)?.get(withSlash(path));
  }

  /** As `find`; throws notFound that tells an unknown provider from an unknown endpoint, with near misses. */
  get(provider: string, path: string): CatalogEntry {
    const entry = this.find(provider, path);
    if (entry !== undefined) return entry;
    const endpoints = this.#entries.get(provider);
    if (endpoints === undefined || endpoints.size === 0) {
      const served = [...this.#entries].filter(([, entries]) => entries.size > 0).map(([slug]) => slug);
      const hint = didYouMean(provider, served) || "; mkt providers lists those there are";
      throw new ApiError("notFound", `Provider "${provider}" was not found${hint}`);
    }
    const wanted = withSlash(path);
    const filled = findFilledTemplate(wanted, endpoints.keys());
    if (filled !== undefined) throw templateMeant(provider, wanted, filled);
    const hint = didYouMean(wanted, endpoints.keys()) || listShortly([...endpoints.keys()]);
    throw new ApiError("notFound", `Provider "${provider}" has no endpoint "${wanted}"${hint}`);
  }

  /** Whether a provider, or with `path` one of its endpoints, can be called now. Throws notFound for an unknown provider. */
  availability(provider: string, path?: string): Availability {
    const loaded = this.#getProvider(provider);
    const entry = path === undefined ? undefined : this.find(provider, path);
    if (entry?.notRunnable !== undefined) return notSupported(loaded.provider, entry.path, entry.notRunnable);
    const { granted, missing } = this.standing(provider);
    if (!granted) return needsGrant(loaded.provider);
    return missing.length === 0 ? { available: true } : missesSecrets(loaded.provider, missing);
  }

  /** What a provider asks for and what it lacks. Throws notFound. */
  standing(provider: string): ProviderStanding {
    const loaded = this.#getProvider(provider);
    const demands = this.#demandsOf(provider);
    const granted = isGranted(loaded.provider, demands, {
      grants: this.grants.list(),
      allowPrivateHosts: this.#allowPrivateHosts,
    });
    return { granted, demands, missing: granted ? findMissingSecrets(loaded.provider, this.#secretSource()) : [] };
  }

  /** The values of a provider's secrets by their names; empty without a grant. Manifest rule 15. */
  resolveSecrets(provider: string): Record<string, string> {
    const loaded = this.#providers.get(provider);
    if (loaded === undefined || !this.standing(provider).granted) return {};
    return readSecrets(loaded.provider, this.#secretSource());
  }

  /**
   * The values of all secrets that providers may read, and of all that are or were stored, for redaction. The same object
   * until a grant or a stored secret changes.
   */
  allSecretValues(): readonly string[] {
    const grants = this.grants.list();
    const stored = this.#storedSecrets?.everKnown() ?? NOTHING_STORED;
    if (this.#secretValues?.grants !== grants || this.#secretValues.stored !== stored) {
      const values = [...this.#providers.keys()].flatMap((slug) => Object.values(this.resolveSecrets(slug)));
      this.#secretValues = { grants, stored, values: [...new Set([...values, ...stored])] };
    }
    return this.#secretValues.values;
  }

  /** Private hosts (`host:port`) that this provider may reach by its own grant or its folder's. */
  grantedPrivateHosts(provider: string): readonly string[] {
    if (!this.#providers.has(provider)) return [];
    const { granted, demands } = this.standing(provider);
    return granted ? demands.privateHosts : [];
  }

  #getProvider(provider: string): LoadedProvider {
    const loaded = this.#providers.get(provider);
    if (loaded !== undefined) return loaded;
    throw new ApiError(
      "notFound",
      `Provider "${provider}" was not found${didYouMean(provider, this.#providers.keys())}`,
    );
  }

  #demandsOf(provider: string): ProviderDemands {
    const demands = this.#demands.get(provider);
    if (demands === undefined) throw new Error(`provider ${provider} has no demands`);
    return demands;
  }
}

/** `mkt run atlas/country/PT`: a path as it is called, where the endpoint's name and its input belong apart. */
function templateMeant(provider: string, wanted: string, { template, values }: FilledTemplate): ApiError {
  const words = Object.entries(values).map(([name, value]) => `${name}=${quoteWord(value)}`);
  return new ApiError(
    "notFound",
    `Provider "${provider}" has no endpoint "${wanted}"; did you mean "${template}" with ${words.join(" ")}?`,
    { extra: { next: ["mkt run", quoteWord(`${provider}${template}`), ...words].join(" ") } },
  );
}

function withSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function listShortly(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(", ");
  return `; it has ${shown}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`;
}
