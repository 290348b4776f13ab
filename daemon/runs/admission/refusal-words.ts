import { ApiError } from "../../../shared/errors.ts";
import { atLeastZero, formatDollars, type MicroDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import { availableIn, type MetControl } from "../../ledger/records/control-records.ts";
import { windowEnd } from "../../ledger/money/spend-windows.ts";
import type { CallerKey } from "../../http/callers/caller.ts";
import { MAX_ADJUSTMENT_DOLLARS } from "../../wallet/wallet-service.ts";

/**
 * If more credits than this are missing, the wallet is not just a few dollars short: the price or its bound is wrong.
 */
const MOST_CREDITS = 10;

/** Why a run is BLOCKED: names every control that refused it, and what it allows. */
export function blockedReason(controls: readonly MetControl[]): string {
  const blocking = controls.filter(({ isBlocking }) => isBlocking);
  const required = blocking[0]?.requiredMicroDollars ?? NO_MONEY;
  const causes = blocking.map(controlWords).join("; ");
  return `This run may cost up to ${formatDollars(required)}: ${causes}. Nothing was called or charged.`;
}

function controlWords(met: MetControl): string {
  if (met.kind === "runCap") return `the run cap ${met.controlId} allows ${formatDollars(met.limitMicroDollars)} a run`;
  const left = formatDollars(atLeastZero(availableIn(met)));
  const until = windowEnd(met.period, met.windowStart);
  return `the budget ${met.controlId} has ${left} of ${formatDollars(met.limitMicroDollars)} left for the ${met.period.toLowerCase()} until ${until}`;
}

export function maxCostRefusal({
  required,
  maxCost,
}: {
  readonly required: MicroDollars;
  readonly maxCost: MicroDollars;
}): ApiError {
  return new ApiError(
    "insufficientFunds",
    `This run may cost up to ${formatDollars(required)}, which is above its maxCost of ${formatDollars(maxCost)}. ` +
      "Nothing was called or held. Raise maxCost, or ask for less.",
  );
}

export function scheduleBudgetRefusal({
  required,
  available,
}: {
  readonly required: MicroDollars;
  readonly available: MicroDollars;
}): ApiError {
  return new ApiError(
    "insufficientFunds",
    `The schedule's own budget leaves ${formatDollars(atLeastZero(available))}, and this run may cost up to ` +
      `${formatDollars(required)}. Nothing was called or held. The next window of the budget begins anew.`,
    { errorCode: "SCHEDULE_BUDGET" },
  );
}

export function keyLimitRefusal(
  key: Pick<CallerKey, "label"> | undefined,
  { required, available }: { readonly required: MicroDollars; readonly available: MicroDollars },
): ApiError {
  return new ApiError(
    "forbidden",
    `The spend limit of the key "${key?.label ?? ""}" leaves ${formatDollars(atLeastZero(available))}, and this run may cost up to ` +
      `${formatDollars(required)}. Nothing was called or held. Use another key, or wait until its period is over.`,
    { errorCode: "KEY_LIMIT" },
  );
}

/** `workspace`: slug to name in the suggested command; absent for the operator's own workspace. */
export function walletRefusal({
  required,
  balance,
  workspace,
}: {
  readonly required: MicroDollars;
  readonly balance: MicroDollars;
  readonly workspace?: string | undefined;
}): ApiError {
  const errorCode = "WALLET_INSUFFICIENT_FUNDS";
  const why = `The wallet has ${formatDollars(balance)} and this run may cost up to ${formatDollars(required)}. Nothing was called or held.`;
  const missingDollars = Math.ceil((required - balance) / 1_000_000);
  if (missingDollars > MOST_CREDITS * MAX_ADJUSTMENT_DOLLARS) {
    const message = `${why} No credit covers that; give it an input or a deadline that costs less`;
    return new ApiError("insufficientFunds", message, { errorCode });
  }
  const credits = Math.max(1, Math.ceil(missingDollars / MAX_ADJUSTMENT_DOLLARS));
  const amount = Math.min(MAX_ADJUSTMENT_DOLLARS, Math.max(10, missingDollars));
  const whose = workspace === undefined ? "" : ` --workspace ${workspace}`;
  const next = `mkt wallet credit ${amount}${whose}`;
  const times = credits === 1 ? "" : `, ${credits} times: a credit is at most $${MAX_ADJUSTMENT_DOLLARS}`;
  return new ApiError("insufficientFunds", `${why} The operator credits it with: ${next}${times}`, {
    errorCode,
    extra: { next },
  });
}

export function keyRefusesEndpoint(key: CallerKey, provider: string, endpoint: string): ApiError {
  const allowed = [...(key.endpoints ?? key.providers ?? [])];
  return new ApiError(
    "forbidden",
    `The key "${key.label}" may not run ${provider}${endpoint}: it is limited to ${allowed.join(", ")}. Use another key.`,
  );
}
