import type { WorkspaceId } from "../../base/ids.ts";
import { ApiError } from "../../../shared/errors.ts";
import { add, type MicroDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import type { RunRequest } from "../../../shared/contract/runs.ts";
import type { ChargedRule } from "../../billing/charge.ts";
import { estimateCost } from "../../billing/estimate.ts";
import { PriceError } from "../../billing/price-error.ts";
import { unavailable } from "../../catalog/availability.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { ownDeadlineMs } from "../../catalog/entries/own-deadline.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { normalizeInput, validateInput } from "../../catalog/input/input-validation.ts";
import { type Clock, isoNow } from "../../base/clock.ts";
import { mayReach, mayRunEndpoint, type WorkspaceCaller } from "../../http/callers/caller.ts";
import { findLogin } from "../../manifest/login-auth.ts";
import { checkCallable } from "../../providers/request/build-request.ts";
import type { BuiltBody } from "../../providers/request/request-body.ts";
import { readEstimateFacts } from "../../providers/answer/read-estimate-facts.ts";
import { resourcesToEnd } from "../../resources/needed-resources.ts";
import type { ResourceRecord } from "../../ledger/records/resource-record.ts";
import type { ResourceStore } from "../../ledger/stores/resource-store.ts";
import { readAmount } from "../../wallet/read-amount.ts";
import { pagesAreWithinEndpoint } from "./page-limits.ts";
import type { FinishedRun } from "../../discovery/health/judge-run.ts";
import type { KnownRefusals, MemberFigures } from "../../catalog/alternatives/member-standing.ts";
import type { AccountLookup } from "./account-lookup.ts";
import { keyRefusesEndpoint } from "./refusal-words.ts";
import type { MarketDesk, MarketPlan, MemberAsked } from "../market/market-desk.ts";
import type { RunRoute } from "../../ledger/records/run-route.ts";
import type { MarketRecord } from "../../ledger/records/market-record.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

/** What is served, and whether it can be called now. */
export type EntryLookup = Pick<Catalog, "get" | "find" | "availability">;

export interface AdmissionParts {
  readonly catalog: EntryLookup;
  readonly store: Pick<ResourceStore, "listLiveResourcesOf" | "findHolder">;
  readonly clock: Clock;
  /** The accounts with which workspaces call endpoints that need a login; absent: that is not checked. */
  readonly accounts?: AccountLookup;
  /** Asks the server of an imported tool whether the tool is still what was imported; absent: nobody is asked. */
  readonly toolCheck?: { before(entry: CatalogEntry): Promise<void> };
  /** By which a route sorts its members; absent: nothing is known of them. */
  readonly figures?: MemberFigures;
  /** By which a route passes members over; absent: nothing is known of secrets. */
  readonly knownRefusals?: KnownRefusals;
  /** Asks other markets what their endpoints cost; absent: none can be run. */
  readonly markets?: Pick<MarketDesk, "plan">;
  /** Told of a member of a route whose market gave no answer about its price, and that was not tried first. */
  readonly onUnreachable?: (run: FinishedRun) => void;
}

/** What a run is asked with beside its body. */
export interface AdmissionFacts {
  /** Ids of the markets that the request came through. */
  readonly hops?: readonly string[];
  /** Aborts when its caller has left. */
  readonly signal?: AbortSignal | undefined;
}

/** In composite form, with its defaults. It fits the endpoint's schemas, and a call can be built from it. */
type CheckedInput = RunRecord["input"];

/** What a run costs, computed from its input. */
interface KnownPrice {
  readonly estimateMicroDollars: MicroDollars;
  /** The most that this run may cost, and so what is held. */
  readonly maximumMicroDollars: MicroDollars;
  /** The rules of the price behind the estimate. */
  readonly rules: readonly ChargedRule[];
}

/** What a run through a route may turn to. */
export interface AdmittedRoute {
  /** Of the route itself. */
  readonly entry: CatalogEntry;
  readonly record: RunRoute;
  /** The endpoints of the candidates, in their order, the first member among them. */
  readonly entries: readonly CatalogEntry[];
}

/**
 * A run that may start once it passes the money gates, which are the last ones and are checked together with the
 * commit.
 */
export interface AdmittedRun extends KnownPrice {
  readonly entry: CatalogEntry;
  readonly input: CheckedInput;
  /** Ids of the resources that the run ends. */
  readonly releases: readonly string[];
  readonly deadlineMs: number;
  readonly maxCostMicroDollars?: MicroDollars;
  /** The most pages of a list that it reads; absent for an endpoint without pages. */
  readonly maxPages?: number;
  readonly tags?: Readonly<Record<string, string>>;
  /** What the caller should know, for the run's `notes`. */
  readonly notes?: readonly string[];
  /** When a route was asked for: the rest above is that of its first member, but for the maximum, which covers all. */
  readonly route?: AdmittedRoute;
  /** Body of the call to the provider, if it is built already. A run that waits builds it again from the input. */
  readonly body?: BuiltBody;
  /** What the run's record says of the market that it runs at. */
  readonly market?: MarketRecord;
  /** Nobody said what it costs: it is asked for all the same, for nothing. */
  readonly isUnpriced?: true;
}

/**
 * The gates of a run, from top to bottom. Each gate takes the results of the earlier ones and returns its own result or
 * throws an `ApiError`. Credentials, workspace and body are checked before them (in the route); money is checked after
 * them (`money-gates.ts`, together with the commit). Source: docs/contract.md, "Order of the gates".
 */
export async function admitEndpoint(
  { catalog, store, clock, accounts, toolCheck, markets }: AdmissionParts,
  caller: WorkspaceCaller,
  request: RunRequest,
  {
    entry,
    deadlineMs: givenMs,
    hops = [],
    signal,
    asMember,
  }: AdmissionFacts & {
    readonly entry: CatalogEntry;
    readonly deadlineMs?: number;
    readonly asMember?: MemberAsked | undefined;
  },
): Promise<AdmittedRun> {
  const at = isoNow(clock);
  keyMayRunEndpoint(caller, entry);
  // A provider without its key is not asked.
  if (catalog.availability(entry.provider.provider).available) await toolCheck?.before(entry);
  checkAvailable(catalog, entry);
  checkConnected(accounts, caller.workspaceId, entry);
  const { input, body } = inputFitsSchema(entry, request);
  // Most endpoints know no resources and no other market: what waits for nothing takes no turn of its own.
  const releases = entry.resources === undefined ? [] : await resourcesAreOwned(store, caller, { entry, input, at });
  const deadlineMs = givenMs ?? deadlineIsWithinEndpoint(entry, request);
  const maxPages = pagesAreWithinEndpoint(entry, request.maxPages);
  const maxCostMicroDollars = maxCostIsAnAmount(request);
  const pages = entry.pages === undefined ? 1 : (maxPages ?? 1);
  const plan =
    entry.request.run === undefined
      ? undefined
      : await markets?.plan({ entry, input, deadlineMs, maxCostMicroDollars, maxPages, hops, signal, asMember });
  const price =
    toKnownPrice(plan) ??
    priceOfPages(pages, maxCostMicroDollars, (calls) => priceIsKnown(entry, input, { deadlineMs, calls }));
  return {
    entry,
    input,
    releases,
    deadlineMs,
    ...price,
    ...(maxCostMicroDollars !== undefined && { maxCostMicroDollars }),
    ...(maxPages !== undefined && { maxPages }),
    ...(request.tags !== undefined && { tags: request.tags }),
    ...notesOn(entry, request),
    ...(body !== undefined && { body }),
    ...(plan !== undefined && { market: plan.market }),
    ...(plan?.isUnpriced && { isUnpriced: true }),
  };
}

function keyMayRunEndpoint(caller: WorkspaceCaller, { provider: { provider }, path }: CatalogEntry): void {
  if (caller.key !== undefined && !mayRunEndpoint(caller, provider, path)) {
    throw keyRefusesEndpoint(caller.key, provider, path);
  }
}

/** Throws 503 when the provider cannot be called now. */
export function checkAvailable(catalog: EntryLookup, { provider, path }: CatalogEntry): void {
  const availability = catalog.availability(provider.provider, path);
  if (!availability.available) throw unavailable(availability);
}

/** Throws 503 when the workspace has no account that the endpoint could be called with. docs/connections.md, "States". */
export function checkConnected(
  accounts: AccountLookup | undefined,
  workspaceId: WorkspaceCaller["workspaceId"],
  entry: CatalogEntry,
): void {
  const missing = accounts?.whyNot(workspaceId, entry);
  if (missing === undefined) return;
  // No Retry-After: somebody has to log in.
  throw new ApiError("unavailable", missing.why, { errorCode: "NOT_CONNECTED", extra: { next: missing.next } });
}

/** By provider: the accounts that the endpoints would be called with now. Undefined when none of them has a login. */
export function accountsFor(
  accounts: AccountLookup | undefined,
  workspaceId: WorkspaceId,
  entries: readonly CatalogEntry[],
): Readonly<Record<string, string>> | undefined {
  if (entries.every(({ http }) => findLogin(http.auth) === undefined)) return undefined;
  const found = entries.flatMap((entry): [string, string][] => {
    const account = accounts?.accountFor(workspaceId, entry);
    return account === undefined ? [] : [[entry.provider.provider, account]];
  });
  return Object.fromEntries(found);
}

function inputFitsSchema(
  entry: CatalogEntry,
  request: RunRequest,
): { readonly input: CheckedInput; readonly body: BuiltBody | undefined } {
  const input = validateInput(entry, normalizeInput(entry, request.input));
  return { input, body: checkCallable(entry, input) };
}

/** Returns the ids of the resources that the run ends. */
async function resourcesAreOwned(
  store: AdmissionParts["store"],
  caller: WorkspaceCaller,
  { entry, input, at }: { readonly entry: CatalogEntry; readonly input: CheckedInput; readonly at: string },
): Promise<readonly string[]> {
  const owned = await listOwned(store, caller.workspaceId, entry.provider.provider);
  const reached = owned.filter((resource) => mayReach(caller, resource));
  return resourcesToEnd(entry, input, { owned: reached, at }).map(({ resourceId }) => resourceId);
}

/** The workspace's live resources at the provider, without records whose id now belongs to another resource. */
async function listOwned(
  store: AdmissionParts["store"],
  workspaceId: WorkspaceId,
  provider: string,
): Promise<readonly ResourceRecord[]> {
  const live = await store.listLiveResourcesOf(workspaceId);
  const ofProvider = live.filter((resource) => resource.provider === provider);
  const holders = await Promise.all(ofProvider.map(async (resource) => await store.findHolder(resource)));
  return ofProvider.filter(({ resourceId }, index) => holders[index]?.resourceId === resourceId);
}

export function deadlineIsWithinEndpoint(entry: CatalogEntry, { deadlineMs: askedMs }: RunRequest): number {
  const ownMs = ownDeadlineMs(entry);
  if (askedMs !== undefined && askedMs > ownMs) {
    throw new ApiError(
      "invalidInput",
      `deadlineMs must be at most ${ownMs}, the deadline of ${entry.provider.provider}${entry.path} (got ${askedMs})`,
    );
  }
  return askedMs ?? ownMs;
}

/** What a market says; undefined where the price of the catalog decides. */
function toKnownPrice(plan: MarketPlan | undefined): KnownPrice | undefined {
  if (plan?.price === undefined) return undefined;
  const { estimate, maximum } = plan.price;
  return { estimateMicroDollars: estimate, maximumMicroDollars: maximum, rules: [] };
}

/**
 * The price of reading that many pages. A caller's maxCost that covers at least one of them is not a refusal: it is what
 * is held, and reading stops before another page could cost more. docs/manifest.md, "Pages".
 */
function priceOfPages(
  pages: number,
  maxCost: MicroDollars | undefined,
  priceOf: (calls: number) => KnownPrice,
): KnownPrice {
  const whole = priceOf(pages);
  if (pages === 1 || maxCost === undefined || whole.maximumMicroDollars <= maxCost) return whole;
  const one = priceOf(1);
  if (one.maximumMicroDollars > maxCost) return one;
  const estimate = whole.estimateMicroDollars <= maxCost ? whole.estimateMicroDollars : maxCost;
  return { ...whole, estimateMicroDollars: estimate, maximumMicroDollars: maxCost };
}

function priceIsKnown(
  entry: CatalogEntry,
  input: CheckedInput,
  { deadlineMs, calls }: { readonly deadlineMs: number; readonly calls: number },
): KnownPrice {
  // The run that makes a resource pays its first period.
  const rent = entry.resources?.provisions?.rent?.amountMicroDollars ?? NO_MONEY;
  const { estimate, maximum, rules } = estimateCost(entry.price, readEstimateFacts(entry, input, deadlineMs, calls));
  if (!Number.isSafeInteger(maximum + rent)) throw new PriceError("the price with its rent is more than can be billed");
  return {
    estimateMicroDollars: add(estimate, rent),
    maximumMicroDollars: add(maximum, rent),
    rules,
  };
}

function maxCostIsAnAmount({ maxCost: asked }: RunRequest): MicroDollars | undefined {
  if (asked === undefined) return undefined;
  const maxCost = readAmount("maxCost.value", asked.value);
  if (maxCost < 0) throw new ApiError("invalidInput", `maxCost.value: must be at least 0 (got ${asked.value})`);
  return maxCost;
}

function notesOn({ reuse }: CatalogEntry, { maxAge = 0 }: RunRequest): Pick<AdmittedRun, "notes"> {
  return maxAge > 0 && reuse === undefined ? { notes: [REUSES_NOTHING] } : {};
}

const REUSES_NOTHING =
  "maxAge had no effect: the provider's file does not allow this endpoint to answer from earlier runs";
