import { ApiError } from "../../shared/errors.ts";
import { formatDollars, type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { estimateCost } from "../billing/estimate.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { normalizeInput, validateInput } from "../catalog/input-validation.ts";
import { checkCallable } from "../providers/build-request.ts";
import { resolveEstimate } from "../providers/measure.ts";
import type { RunRecord } from "./run-record.ts";

/** What the gates have found out so far; each gate adds its part or throws an `ApiError`. */
interface Admission {
  readonly request: RunRequest;
  readonly catalog: Catalog;
  entry?: CatalogEntry;
  input?: RunRecord["input"];
  deadlineMs?: number;
  estimateMicroDollars?: MicroDollars;
  maximumMicroDollars?: MicroDollars;
  maxCostMicroDollars?: MicroDollars;
}

/** A run that may start, once its workspace can pay the hold (the last gate, taken together with the commit). */
export interface AdmittedRun {
  readonly entry: CatalogEntry;
  readonly input: RunRecord["input"];
  readonly deadlineMs: number;
  /** The most that this run may cost, and so what is held. */
  readonly maximumMicroDollars: MicroDollars;
  readonly estimateMicroDollars: MicroDollars;
  readonly maxCostMicroDollars?: MicroDollars;
  readonly tags?: Readonly<Record<string, string>>;
}

type Gate = (admission: Admission) => void | Promise<void>;

/**
 * The gates of a run, in order. Credentials, workspace and body stand before them (the route); the wallet behind them
 * (the commit's guard). Source: contract semantics, 7, "Order".
 */
const gates: readonly Gate[] = [
  endpointIsServed,
  providerIsAvailable,
  inputFitsSchema,
  deadlineIsWithinEndpoint,
  priceIsKnown,
  maxCostCoversMaximum,
];

export async function admit(catalog: Catalog, request: RunRequest): Promise<AdmittedRun> {
  const admission: Admission = { request, catalog };
  for (const gate of gates) await gate(admission);
  const { maxCostMicroDollars } = admission;
  return {
    entry: known(admission, "entry"),
    input: known(admission, "input"),
    deadlineMs: known(admission, "deadlineMs"),
    estimateMicroDollars: known(admission, "estimateMicroDollars"),
    maximumMicroDollars: known(admission, "maximumMicroDollars"),
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
  admission.entry = admission.catalog.get(admission.request.provider, admission.request.endpoint);
}

function providerIsAvailable(admission: Admission): void {
  const entry = known(admission, "entry");
  const availability = admission.catalog.availability(entry.provider.provider, entry.path);
  if (availability.available) return;
  const { message, next } = availability;
  throw new ApiError("unavailable", message, next === undefined ? {} : { extra: { next } });
}

function inputFitsSchema(admission: Admission): void {
  const entry = known(admission, "entry");
  const input = validateInput(entry, normalizeInput(entry, admission.request.input));
  checkCallable(entry, input);
  admission.input = input;
}

function deadlineIsWithinEndpoint(admission: Admission): void {
  const entry = known(admission, "entry");
  const ownMs = entry.async === undefined ? entry.http.timeoutMs : entry.async.runMs;
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
  const { estimate, maximum } = estimateCost(entry.price, {
    input,
    estimate: resolveEstimate(entry.usage.estimate, input, entry.input),
    deadlineMs: known(admission, "deadlineMs"),
  });
  admission.estimateMicroDollars = estimate;
  admission.maximumMicroDollars = maximum;
}

function maxCostCoversMaximum(admission: Admission): void {
  const asked = admission.request.maxCost;
  if (asked === undefined) return;
  const maxCost = readDollars(asked.value);
  if (maxCost < 0) throw new ApiError("invalidInput", `maxCost.value: must be at least 0 (got ${asked.value})`);
  const maximum = known(admission, "maximumMicroDollars");
  if (maximum > maxCost) {
    throw new ApiError(
      "insufficientFunds",
      `This run may cost up to ${formatDollars(maximum)}, which is above its maxCost of ${formatDollars(maxCost)}. ` +
        "Nothing was called or held. Ask for less, or raise maxCost.",
    );
  }
  admission.maxCostMicroDollars = maxCost;
}

/** Throws a refusal of the input where the amount is none. */
function readDollars(value: number): MicroDollars {
  try {
    return parseDollars(value);
  } catch (error) {
    throw new ApiError("invalidInput", `maxCost.value: ${error instanceof Error ? error.message : "not an amount"}`);
  }
}
