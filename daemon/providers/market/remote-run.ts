import { ceilToMicroDollars } from "../../../shared/micro-dollars.ts";
import { fromDecimal } from "../../../shared/rational.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { memberOf } from "../../../shared/member-of.ts";
import { runStatuses } from "../../../shared/run-status.ts";
import type { RemoteRun } from "../protocol/provider.ts";

/** Members of an answer of the contract, nothing of which was checked. */
export type Told = Readonly<Record<string, unknown>>;

const RUN_ID = /^[A-Za-z0-9_-]{1,100}$/;
const STATUSES: ReadonlySet<string> = new Set(runStatuses);
const MICROS = { MICRO_DOLLAR: 1n, CENT: 10_000n, DOLLAR: 1_000_000n } as const;

/** The id of a run that a market names; undefined for one that could not be asked about. */
export function readRunId(body: unknown): string | undefined {
  const runId = memberOf(body, "runId");
  return typeof runId === "string" && RUN_ID.test(runId) ? runId : undefined;
}

/** A run as the contract shows it, whatever the status of the answer; undefined for anything else. */
export function readRemoteRun(body: unknown): (RemoteRun & { readonly told: Told }) | undefined {
  const runId = readRunId(body);
  if (!isRecord(body) || runId === undefined) return undefined;
  const { status } = body;
  if (typeof status !== "string" || !STATUSES.has(status)) return undefined;
  const costMicroDollars = readCost(body);
  return { runId, status, ...(costMicroDollars !== undefined && { costMicroDollars }), told: body };
}

/**
 * What a run cost its caller, in micro-dollars, rounded up: `billing.reportedCost`, else `cost`. Undefined for another
 * currency, and for anything that is no amount. docs/contract.md, "Costs"
 */
export function readCost(run: unknown): number | undefined {
  const reported = memberOf(memberOf(run, "billing"), "reportedCost");
  return reported === undefined ? readMoney(memberOf(run, "cost")) : readUnits(reported);
}

/** `Money` of the contract: dollars. Rounded up to whole micro-dollars. */
export function readMoney(money: unknown): number | undefined {
  const value = memberOf(money, "value");
  if (memberOf(money, "currency") !== "USD" || typeof value !== "number" || !(value >= 0)) return undefined;
  try {
    return toSafe(ceilToMicroDollars(fromDecimal(value)));
  } catch {
    return undefined;
  }
}

/** `MoneyUnits` of the contract: a whole number of a unit. */
function readUnits(money: unknown): number | undefined {
  const [value, unit] = [memberOf(money, "value"), memberOf(money, "unit")];
  if (memberOf(money, "currency") !== "USD" || typeof unit !== "string" || !Object.hasOwn(MICROS, unit)) {
    return undefined;
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return undefined;
  return toSafe(BigInt(value) * MICROS[unit as keyof typeof MICROS]);
}

function toSafe(micros: bigint): number | undefined {
  return micros <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(micros) : undefined;
}
