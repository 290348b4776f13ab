import { dirname, resolve } from "node:path";
import { ApiError } from "../../shared/errors.ts";
import {
  type Availability,
  missesSecrets,
  needsGrant,
  noMemberAvailable,
  notSupported,
  type ToolChange,
  toolChanged,
} from "./availability.ts";
import type { Alternatives, CatalogEntry, CatalogProvider, CatalogResource } from "./entries/catalog-entry.ts";
import { applyOwnerPrices } from "./owner-prices/apply-owner-prices.ts";
import { ROUTES } from "../manifest/route-file.ts";
import { CatalogEdition } from "./editions/catalog-edition.ts";
import type { CatalogProblem } from "./problems/catalog-problem.ts";
import type { CategoryTree } from "./categories/category-tree.ts";
import { type Grant, type GrantStore, isGranted } from "./grants/grants.ts";
import type { CatalogFolder } from "./reading/catalog-folder.ts";
import { CatalogLoader, isWithin, type LoadedFolders } from "./reading/catalog-loader.ts";
import { type Asker, notLoaded } from "./problems/not-loaded.ts";
import type { OwnerPrices, OwnerPriceStore } from "./owner-prices/owner-prices.ts";
import { buildProviderFile, type LoadedProvider } from "./reading/provider-file.ts";
import type { ProviderFileReaderParts } from "./reading/provider-file-reader.ts";
import type { CatalogSource } from "./parsing/read-manifest-file.ts";
import { quoteWord } from "../../shared/hints/shell-words.ts";
import { didYouMean } from "../../shared/near-misses.ts";
import { type FilledTemplate, findFilledTemplate } from "./filled-template.ts";
import { demandsOf, type ProviderDemands } from "./grants/provider-demands.ts";
import type { SecretStore } from "./grants/secret-store.ts";
import type { ThesaurusData } from "./thesaurus/thesaurus-file.ts";
import { type Environment, findMissingSecrets, type MissingSecret, overlay, readSecrets } from "./grants/secrets.ts";

export interface CatalogParts {
  /** Bundled first: of two files for one provider the first is kept, unless the later is the owner's own. */
  readonly folders: readonly CatalogFolder[];
  readonly grants: GrantStore;
  /** Where secrets come from, once granted. */
  readonly environment: Environment;
  /** What the operator stored, for what the environment does not have. */
  readonly storedSecrets?: Pick<SecretStore, "values" | "everKnown">;
  /** How files are read; absent: in this process, each time. */
  readonly reading?: Pick<ProviderFileReaderParts, "cache" | "processes" | "bundled">;
  /** Which tools of MCP servers are no longer what was imported; absent: none. */
  readonly toolMarks?: { changeOf(provider: CatalogProvider, tool: string): ToolChange | undefined };
  /** The owner's prices; absent: the prices of the files apply. */
  readonly ownerPrices?: OwnerPriceStore;
  /**
   * `host` or `host:port`: private hosts that the operator named for the whole daemon.
   * docs/manifest.md, "Private addresses".
   */
  readonly allowPrivateHosts?: Iterable<string>;
}

/** What a provider requests, and what the operator has granted and set. */
export interface ProviderStanding {
  readonly granted: boolean;
  readonly demands: ProviderDemands;
  /** Secrets that are not set; empty as long as there is no grant, because then nothing is read. */
  readonly missing: readonly MissingSecret[];
}

const NO_PRICES: OwnerPrices["prices"] = new Map();
const NO_SECRETS: Environment = {};
const NOTHING_STORED: readonly string[] = [];

export async function loadCatalog(parts: CatalogParts): Promise<Catalog> {
  const loader = new CatalogLoader(parts.folders, parts.reading);
  return new Catalog(parts, loader, {
    folders: await loader.load(),
    ownerPrices: await parts.ownerPrices?.read(),
  });
}

/** What was read from the disk at one point in time. */
interface CatalogReading {
  readonly folders: LoadedFolders;
  readonly ownerPrices: OwnerPrices | undefined;
}

/** The providers and endpoints of all catalog folders, in memory, as they were last loaded. */
export class Catalog {
  readonly folders: readonly string[];
  readonly grants: GrantStore;
  readonly #folders: readonly CatalogFolder[];
  readonly #loader: CatalogLoader;
  readonly #secretSource: () => Environment;
  readonly #storedSecrets: CatalogParts["storedSecrets"];
  readonly #allowPrivateHosts: ReadonlySet<string>;
  readonly #toolMarks: CatalogParts["toolMarks"];
  /** By provider version, for as long as anything holds that version. */
  readonly #demands = new WeakMap<CatalogProvider, ProviderDemands>();
  readonly #texts = new WeakMap<CatalogProvider, string>();
  readonly ownerPrices: OwnerPriceStore | undefined;
  #read: CatalogReading;
  #edition: CatalogEdition;
  /** A run that began under an earlier version may still carry secrets that only that version read. */
  #earlierSecretValues: readonly string[] = [];
  /** Earlier versions that an earlier process served. */
  #adopted: readonly CatalogProvider[] = [];
  #reloading: Promise<unknown> = Promise.resolve();
  /** Cached for the current grants and stored secrets, because every log line needs it. */
  #secretValues:
    | {
        readonly edition: CatalogEdition;
        readonly adopted: readonly CatalogProvider[];
        readonly grants: readonly Grant[];
        readonly stored: readonly string[];
        readonly values: readonly string[];
      }
    | undefined;

  constructor(parts: CatalogParts, loader: CatalogLoader, read: CatalogReading) {
    this.folders = parts.folders.map(({ dir }) => dir);
    this.grants = parts.grants;
    this.#folders = parts.folders;
    this.#loader = loader;
    this.#storedSecrets = parts.storedSecrets;
    this.#secretSource = overlay(parts.environment, () => parts.storedSecrets?.values() ?? NO_SECRETS);
    this.#allowPrivateHosts = new Set([...(parts.allowPrivateHosts ?? [])].map((host) => host.toLowerCase()));
    this.#toolMarks = parts.toolMarks;
    this.ownerPrices = parts.ownerPrices;
    this.#read = read;
    this.#edition = this.#publish(read);
  }

  get categories(): CategoryTree {
    return this.#edition.tree;
  }

  /** What callers ask for and what endpoints call it. The same object as long as its files are the same. */
  get thesaurus(): ThesaurusData {
    return this.#edition.thesaurus;
  }

  /**
   * Reads what changed in the folders. Entries that are in use stay as they are: a run ends under the version that it
   * began with. Returns true when anything has changed. docs/manifest.md, "Reloading".
   */
  async reload(): Promise<boolean> {
    const step = this.#reloading.then(async () => {
      const read = { folders: await this.#loader.load(), ownerPrices: await this.ownerPrices?.read() };
      if (read.folders === this.#read.folders && read.ownerPrices === this.#read.ownerPrices) return false;
      this.#earlierSecretValues = this.allSecretValues();
      this.#read = read;
      this.#edition = this.#publish(read);
      return true;
    });
    this.#reloading = step.catch(() => {});
    return await step;
  }

  /**
   * An earlier version of a provider's file, used to continue a run that began under it; it is not served. Undefined
   * when today's rules reject the file.
   */
  adopt(source: CatalogSource): LoadedProvider | undefined {
    const dir = dirname(source.file);
    const folder = this.#folders.find((candidate) => resolve(candidate.dir) === dir) ?? { dir };
    const { loaded } = buildProviderFile(source, { folder, tree: this.#edition.tree });
    if (loaded === undefined) return undefined;
    this.#remember(loaded);
    this.#adopted = [...this.#adopted, loaded.provider];
    return loaded;
  }

  /** The text of the file as it was read; kept only for a version that has jobs. */
  textOf(provider: CatalogProvider): string | undefined {
    return this.#texts.get(provider);
  }

  /**
   * All enabled endpoints, by provider slug and then in the order of the file. The same list object until the catalog
   * changes.
   */
  entries(): readonly CatalogEntry[] {
    return this.#edition.list;
  }

  /** The enabled endpoints of one provider; empty when there is no such provider. */
  entriesOf(provider: string): readonly CatalogEntry[] {
    return [...(this.#edition.entries.get(provider)?.values() ?? [])];
  }

  /** All providers, by slug. */
  providers(): readonly CatalogProvider[] {
    return [...this.#edition.providers.values()].map(({ provider }) => provider);
  }

  findProvider(provider: string): CatalogProvider | undefined {
    return this.#edition.providers.get(provider)?.provider;
  }

  /** A kind of resource as its provider's file describes it now. */
  findResource(provider: string, slug: string): CatalogResource | undefined {
    return this.#edition.providers.get(provider)?.resources.find((resource) => resource.slug === slug);
  }

  /** What the owner set, by `provider/endpoint` or `provider`, whether or not the catalog has it. */
  pricesOfOwner(): OwnerPrices["prices"] {
    return this.#read.ownerPrices?.prices ?? NO_PRICES;
  }

  /** What is wrong in the folders, in the order of the files. */
  problems(): readonly CatalogProblem[] {
    return this.#edition.problems;
  }

  /** An enabled endpoint. The leading slash of the path may be missing. */
  find(provider: string, path: string): CatalogEntry | undefined {
    return this.#edition.entries.get(provider)?.get(withSlash(path));
  }

  /**
   * As `find`; throws notFound that distinguishes an unknown provider from an unknown endpoint, with near misses. With
   * an `asker`, an endpoint that is not served because of mistakes in its file is reported as such; without one it is
   * notFound too.
   */
  get(provider: string, path: string, asker?: Asker): CatalogEntry {
    const entry = this.find(provider, path);
    if (entry !== undefined) return entry;
    if (asker !== undefined) this.#refuseNotLoaded(provider, withSlash(path), asker);
    const endpoints = this.#edition.entries.get(provider);
    if (endpoints === undefined || endpoints.size === 0) {
      const served = [...this.#edition.entries].filter(([, entries]) => entries.size > 0).map(([slug]) => slug);
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
    if (entry?.alternatives !== undefined) return this.#availabilityOfRoute(entry, entry.alternatives.members);
    if (entry?.notRunnable !== undefined) return notSupported(loaded.provider, entry.path, entry.notRunnable);
    const change = entry === undefined ? undefined : this.toolChange(entry);
    if (change !== undefined && entry?.request.tool !== undefined) {
      return toolChanged(loaded.provider, { path: entry.path, tool: entry.request.tool, change });
    }
    const { granted, missing } = this.standing(provider);
    if (!granted) return needsGrant(loaded.provider);
    return missing.length === 0 ? { available: true } : missesSecrets(loaded.provider, missing);
  }

  /** A route can be run when one of its members can be. */
  #availabilityOfRoute({ path }: CatalogEntry, members: Alternatives["members"]): Availability {
    const ofMembers = members.map(({ provider, endpoint }) => this.availability(provider, endpoint));
    return ofMembers.find(({ available }) => available) ?? noMemberAvailable(path, ofMembers);
  }

  /** How the tool behind an endpoint differs from what was imported, as far as is known. */
  toolChange({ provider, request }: CatalogEntry): ToolChange | undefined {
    return request.tool === undefined ? undefined : this.#toolMarks?.changeOf(provider, request.tool);
  }

  /** What a provider requests and what it lacks. Throws notFound. */
  standing(provider: string): ProviderStanding {
    return this.#standingOf(this.#getProvider(provider).provider);
  }

  /**
   * The values of a provider's secrets, for this version of it, by name; empty without a grant.
   * docs/manifest.md, "Grants".
   */
  resolveSecrets(provider: CatalogProvider): Record<string, string> {
    return this.#standingOf(provider).granted ? readSecrets(provider, this.#secretSource()) : {};
  }

  /**
   * The values of all secrets that providers may read now or could read earlier, and of all that are or were stored,
   * for redaction. The same object until a file, a grant or a stored secret changes.
   */
  allSecretValues(): readonly string[] {
    const grants = this.grants.list();
    const stored = this.#storedSecrets?.everKnown() ?? NOTHING_STORED;
    const known = this.#secretValues;
    const adopted = this.#adopted;
    const isSame = known?.edition === this.#edition && known.adopted === adopted;
    if (isSame && known.grants === grants && known.stored === stored) return known.values;
    const versions = [...this.providers(), ...adopted];
    const found = versions.flatMap((provider) => Object.values(this.resolveSecrets(provider)));
    // A run in progress keeps the secrets that it has read, even after the grant is revoked.
    const values = [...new Set([...this.#earlierSecretValues, ...(known?.values ?? []), ...found, ...stored])];
    this.#secretValues = { edition: this.#edition, adopted, grants, stored, values };
    return values;
  }

  /** Private hosts (`host:port`) that this version of a provider may reach by its own grant or its folder's. */
  grantedPrivateHosts(provider: CatalogProvider): readonly string[] {
    const { granted, demands } = this.#standingOf(provider);
    return granted ? demands.privateHosts : [];
  }

  /** The problems that keep whole files out, by the slug that their provider would have. */
  notLoaded(): ReadonlyMap<string, readonly CatalogProblem[]> {
    return this.#edition.notLoaded;
  }

  #refuseNotLoaded(slug: string, path: string, asker: Asker): void {
    const ofRoute = slug === ROUTES ? this.#edition.routesNotLoaded.get(path.slice(1)) : undefined;
    if (ofRoute !== undefined) throw notLoaded(`Route "${path.slice(1)}"`, ofRoute, asker);
    const ofFile = this.#edition.notLoaded.get(slug);
    if (ofFile !== undefined) throw notLoaded(`Provider "${slug}"`, ofFile, asker);
    const file = this.findProvider(slug)?.file;
    const ofEndpoint = this.#edition.problems.filter(
      (problem) =>
        problem.file === file && problem.takesDown === "endpoint" && isWithin(problem.path, `endpoints.${path}`),
    );
    if (ofEndpoint.length > 0) throw notLoaded(`Endpoint "${slug}${path}"`, ofEndpoint, asker);
  }

  #publish({ folders, ownerPrices }: CatalogReading): CatalogEdition {
    for (const version of folders.providers) this.#remember(version);
    const file = this.ownerPrices?.file;
    const isPriced = ownerPrices !== undefined && file !== undefined;
    const edition = new CatalogEdition(isPriced ? applyOwnerPrices(folders, ownerPrices, file) : folders);
    if (edition.routes !== undefined) this.#remember(edition.routes);
    return edition;
  }

  #remember({ provider, entries, resources, text }: LoadedProvider): void {
    if (text !== undefined) this.#texts.set(provider, text);
    if (!this.#demands.has(provider)) this.#demands.set(provider, demandsOf(provider, [...entries, ...resources]));
  }

  #standingOf(provider: CatalogProvider): ProviderStanding {
    const demands = this.#demands.get(provider);
    if (demands === undefined) throw new Error(`provider ${provider.provider} is not in this catalog`);
    const granted = isGranted(provider, demands, {
      grants: this.grants.list(),
      allowPrivateHosts: this.#allowPrivateHosts,
    });
    return { granted, demands, missing: granted ? findMissingSecrets(provider, this.#secretSource()) : [] };
  }

  #getProvider(provider: string): LoadedProvider {
    const loaded = this.#edition.providers.get(provider);
    if (loaded !== undefined) return loaded;
    const problems = this.#edition.notLoaded.get(provider);
    // Computed only when the operator asks, or when problems are known already.
    if (problems !== undefined) throw notLoaded(`Provider "${provider}"`, problems, { operator: true });
    throw new ApiError(
      "notFound",
      `Provider "${provider}" was not found${didYouMean(provider, this.#edition.providers.keys())}`,
    );
  }
}

/** For `mkt run atlas/country/PT`: the input is part of the path, and should be given separately. */
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
