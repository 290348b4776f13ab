import { ApiError } from "../../shared/errors.ts";
import { microDollars, type MicroDollars } from "../../shared/micro-dollars.ts";
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
import { readEstimateFacts } from "../providers/answer/read-estimate-facts.ts";
import { resourcesToEnd } from "../resources/needed-resources.ts";
import { isLive, type ResourceRecord } from "../ledger/resource-record.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import { readAmount } from "../wallet/read-amount.ts";
import { keyRefusesEndpoint } from "./refusal-words.ts";
import type { RunRecord } from "../ledger/run-record.ts";

/** What is served, and whether it can be called now. */
export type ServedCatalog = Pick<Catalog, "get" | "availability">;

export interface AdmissionParts {
  readonly catalog: ServedCatalog;
  readonly store: Pick<ResourceStore, "listResources" | "findHolder">;
  readonly clock: Clock;
}

/** What the gates have found out so far; each gate adds its part or throws an `ApiError`. */
interface Admission {
  readonly request: RunRequest;
  readonly caller: WorkspaceCaller;
  readonly catalog: ServedCatalog;
  readonly store: AdmissionParts["store"];
  /** Now, ISO 8601. */
  readonly at: string;
  entry?: CatalogEntry;
  input?: RunRecord["input"];
  releases?: readonly string[];
  deadlineMs?: number;
  estimateMicroDollars?: MicroDollars;
  maximumMicroDollars?: MicroDollars;
  rules?: readonly ChargedRule[];
  maxCostMicroDollars?: MicroDollars;
}

/** A run that may start, once the gates of money let it through (the last ones, asked together with the commit). */
export interface AdmittedRun {
  readonly entry: CatalogEntry;
  readonly input: RunRecord["input"];
  /** Ids of the resources that it ends. */
  readonly releases: readonly string[];
  readonly deadlineMs: number;
  /** The most that this run may cost, and so what is held. */
  readonly maximumMicroDollars: MicroDollars;
  readonly estimateMicroDollars: MicroDollars;
  /** The rules of the price behind the estimate. */
  readonly rules: readonly ChargedRule[];
  readonly maxCostMicroDollars?: MicroDollars;
  readonly tags?: Readonly<Record<string, string>>;
}

type Gate = (admission: Admission) => void | Promise<void>;

/**
 * The gates of a run, in order. Credentials, workspace and body stand before them (the route); those that ask for money
 * behind them (`money-gates.ts`, together with the commit). Source: docs/contract.md, "Order of the gates".
 */
const gates: readonly Gate[] = [
  endpointIsServed,
  keyMayRunEndpoint,
  providerIsAvailable,
  inputFitsSchema,
  resourcesAreOwned,
  deadlineIsWithinEndpoint,
  priceIsKnown,
  maxCostIsAnAmount,
];

export async function admit(
  { catalog, store, clock }: AdmissionParts,
  caller: WorkspaceCaller,
  request: RunRequest,
): Promise<AdmittedRun> {
  const admission: Admission = { request, caller, catalog, store, at: isoNow(clock) };
  for (const gate of gates) await gate(admission);
  const { maxCostMicroDollars } = admission;
  return {
    entry: known(admission, "entry"),
    input: known(admission, "input"),
    releases: known(admission, "releases"),
    deadlineMs: known(admission, "deadlineMs"),
    estimateMicroDollars: known(admission, "estimateMicroDollars"),
    maximumMicroDollars: known(admission, "maximumMicroDollars"),
    rules: known(admission, "rules"),
    ...(maxCostMicroDollars !== undefined && { maxCostMicroDollars }),
    ...(request.tags !== undefined && { tags: request.tags }),
  };
}

/** What an earlier gate found out; a gate that is reached too early is a fault of the list. */
function known<Fact extends keyof Admission>(admission: Admission, fact: Fact): NonNullable<Admission[Fact]> {
  const found = admission[fact];
  if (found === undefined) throw new Error(`the gates of the admission are out of order: ${fact} is not known yet`);
  return found as NonNullable<Admission[Fact]>;
}

function endpointIsServed(admission: Admission): void {
  admission.entry = admission.catalog.get(admission.request.provider, admission.request.endpoint, admission.caller);
}

function keyMayRunEndpoint(admission: Admission): void {
  const { key } = admission.caller;
  if (key === undefined) return;
  const { provider, path } = known(admission, "entry");
  const slug = provider.provider;
  const mayRun = (key.providers?.includes(slug) ?? true) && (key.endpoints?.includes(`${slug}${path}`) ?? true);
  if (!mayRun) throw keyRefusesEndpoint(key, slug, path);
}

function providerIsAvailable(admission: Admission): void {
  const entry = known(admission, "entry");
  const availability = admission.catalog.availability(entry.provider.provider, entry.path);
  if (availability.available) return;
  const { message, next } = availability;
  // No Retry-After: it is set up by somebody, not by time.
  throw new ApiError("unavailable", message, {
    errorCode: "NOT_CONFIGURED",
    ...(next !== undefined && { extra: { next } }),
  });
}

function inputFitsSchema(admission: Admission): void {
  const entry = known(admission, "entry");
  const input = validateInput(entry, normalizeInput(entry, admission.request.input));
  checkCallable(entry, input);
  admission.input = input;
}

async function resourcesAreOwned(admission: Admission): Promise<void> {
  const entry = known(admission, "entry");
  // Only endpoints that name resources have to know which there are.
  const owned =
    entry.resources === undefined
      ? []
      : await listOwned(admission.store, admission.caller.workspaceId, entry.provider.provider);
  const reached = owned.filter((resource) => mayReach(admission.caller, resource));
  const ending = resourcesToEnd(entry, known(admission, "input"), { owned: reached, at: admission.at });
  admission.releases = ending.map(({ resourceId }) => resourceId);
}

/** What the workspace has or had at the provider, without what was recorded of an id that is another resource's. */
async function listOwned(
  store: AdmissionParts["store"],
  workspaceId: string,
  provider: string,
): Promise<readonly ResourceRecord[]> {
  const all = await store.listResources(workspaceId);
  const ofProvider = all.filter((resource) => resource.provider === provider && isLive(resource));
  const holders = await Promise.all(ofProvider.map(async (resource) => await store.findHolder(resource)));
  return ofProvider.filter(({ resourceId }, index) => holders[index]?.resourceId === resourceId);
}

function deadlineIsWithinEndpoint(admission: Admission): void {
  const entry = known(admission, "entry");
  const ownMs = ownDeadlineMs(entry);
  const askedMs = admission.request.deadlineMs;
  if (askedMs !== undefined && askedMs > ownMs) {
    throw new ApiError(
      "invalidInput",
      `deadlineMs must be at most ${ownMs}, the deadline of ${entry.provider.provider}${entry.path} (got ${askedMs})`,
    );
  }
  admission.deadlineMs = askedMs ?? ownMs;
}

function priceIsKnown(admission: Admission): void {
  const entry = known(admission, "entry");
  const input = known(admission, "input");
  // The run that makes a resource pays its first period.
  const rent = entry.resources?.provisions?.rent?.amountMicroDollars ?? 0;
  const facts = readEstimateFacts(entry, input, known(admission, "deadlineMs"));
  const { estimate, maximum, rules } = estimateCost(entry.price, facts);
  if (!Number.isSafeInteger(maximum + rent)) throw new PriceError("the price with its rent is more than can be billed");
  admission.estimateMicroDollars = microDollars(estimate + rent);
  admission.maximumMicroDollars = microDollars(maximum + rent);
  admission.rules = rules;
}

function maxCostIsAnAmount(admission: Admission): void {
  const asked = admission.request.maxCost;
  if (asked === undefined) return;
  const maxCost = readAmount("maxCost.value", asked.value);
  if (maxCost < 0) throw new ApiError("invalidInput", `maxCost.value: must be at least 0 (got ${asked.value})`);
  admission.maxCostMicroDollars = maxCost;
}
