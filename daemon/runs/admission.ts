import type { WorkspaceId } from "../base/ids.ts";
import { ApiError } from "../../shared/errors.ts";
import { add, type MicroDollars, NO_MONEY } from "../../shared/micro-dollars.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import type { ChargedRule } from "../billing/charge.ts";
import { estimateCost } from "../billing/estimate.ts";
import { PriceError } from "../billing/price-error.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { ownDeadlineMs } from "../catalog/entries/own-deadline.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { normalizeInput, validateInput } from "../catalog/input/input-validation.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { mayReach, type WorkspaceCaller } from "../http/caller.ts";
import { checkCallable } from "../providers/request/build-request.ts";
import type { BuiltBody } from "../providers/request/request-body.ts";
import { readEstimateFacts } from "../providers/answer/read-estimate-facts.ts";
import { resourcesToEnd } from "../resources/needed-resources.ts";
import { isLive, type ResourceRecord } from "../ledger/resource-record.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import { readAmount } from "../wallet/read-amount.ts";
import { keyRefusesEndpoint } from "./refusal-words.ts";
import type { RunRecord } from "../ledger/run-record.ts";

/** What is served, and whether it can be called now. */
export type EntryLookup = Pick<Catalog, "get" | "availability">;

export interface AdmissionParts {
  readonly catalog: EntryLookup;
  readonly store: Pick<ResourceStore, "listResources" | "findHolder">;
  readonly clock: Clock;
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
  readonly tags?: Readonly<Record<string, string>>;
  /** Body of the call to the provider, if it is built already. A run that waits builds it again from the input. */
  readonly body?: BuiltBody;
}

/**
 * The gates of a run, from top to bottom. Each gate takes the results of the earlier ones and returns its own result or
 * throws an `ApiError`. Credentials, workspace and body are checked before them (in the route); money is checked after
 * them (`money-gates.ts`, together with the commit). Source: docs/contract.md, "Order of the gates".
 */
export async function admit(
  { catalog, store, clock }: AdmissionParts,
  caller: WorkspaceCaller,
  request: RunRequest,
): Promise<AdmittedRun> {
  const at = isoNow(clock);
  const entry = endpointIsServed(catalog, caller, request);
  keyMayRunEndpoint(caller, entry);
  providerIsAvailable(catalog, entry);
  const { input, body } = inputFitsSchema(entry, request);
  const releases = await resourcesAreOwned(store, caller, { entry, input, at });
  const deadlineMs = deadlineIsWithinEndpoint(entry, request);
  const price = priceIsKnown(entry, input, deadlineMs);
  const maxCostMicroDollars = maxCostIsAnAmount(request);
  return {
    entry,
    input,
    releases,
    deadlineMs,
    ...price,
    ...(maxCostMicroDollars !== undefined && { maxCostMicroDollars }),
    ...(request.tags !== undefined && { tags: request.tags }),
    ...(body !== undefined && { body }),
  };
}

function endpointIsServed(
  catalog: EntryLookup,
  caller: WorkspaceCaller,
  { provider, endpoint }: RunRequest,
): CatalogEntry {
  return catalog.get(provider, endpoint, caller);
}

function keyMayRunEndpoint({ key }: WorkspaceCaller, { provider, path }: CatalogEntry): void {
  if (key === undefined) return;
  const slug = provider.provider;
  const mayRun = (key.providers?.includes(slug) ?? true) && (key.endpoints?.includes(`${slug}${path}`) ?? true);
  if (!mayRun) throw keyRefusesEndpoint(key, slug, path);
}

function providerIsAvailable(catalog: EntryLookup, { provider, path }: CatalogEntry): void {
  const availability = catalog.availability(provider.provider, path);
  if (availability.available) return;
  const { message, next } = availability;
  // No Retry-After: somebody has to set the provider up, and waiting does not do that.
  throw new ApiError("unavailable", message, {
    errorCode: "NOT_CONFIGURED",
    ...(next !== undefined && { extra: { next } }),
  });
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
  // Only endpoints that name resources need the list of them.
  const owned =
    entry.resources === undefined ? [] : await listOwned(store, caller.workspaceId, entry.provider.provider);
  const reached = owned.filter((resource) => mayReach(caller, resource));
  return resourcesToEnd(entry, input, { owned: reached, at }).map(({ resourceId }) => resourceId);
}

/** The workspace's live resources at the provider, without records whose id now belongs to another resource. */
async function listOwned(
  store: AdmissionParts["store"],
  workspaceId: WorkspaceId,
  provider: string,
): Promise<readonly ResourceRecord[]> {
  const all = await store.listResources(workspaceId);
  const ofProvider = all.filter((resource) => resource.provider === provider && isLive(resource));
  const holders = await Promise.all(ofProvider.map(async (resource) => await store.findHolder(resource)));
  return ofProvider.filter(({ resourceId }, index) => holders[index]?.resourceId === resourceId);
}

function deadlineIsWithinEndpoint(entry: CatalogEntry, { deadlineMs: askedMs }: RunRequest): number {
  const ownMs = ownDeadlineMs(entry);
  if (askedMs !== undefined && askedMs > ownMs) {
    throw new ApiError(
      "invalidInput",
      `deadlineMs must be at most ${ownMs}, the deadline of ${entry.provider.provider}${entry.path} (got ${askedMs})`,
    );
  }
  return askedMs ?? ownMs;
}

function priceIsKnown(entry: CatalogEntry, input: CheckedInput, deadlineMs: number): KnownPrice {
  // The run that makes a resource pays its first period.
  const rent = entry.resources?.provisions?.rent?.amountMicroDollars ?? NO_MONEY;
  const { estimate, maximum, rules } = estimateCost(entry.price, readEstimateFacts(entry, input, deadlineMs));
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
