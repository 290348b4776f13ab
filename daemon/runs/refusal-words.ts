import { ApiError } from "../../shared/errors.ts";
import { formatDollars, microDollars } from "../../shared/micro-dollars.ts";
import { availableIn, type MetControl } from "../ledger/control-records.ts";
import { windowEnd } from "../ledger/spend-windows.ts";
import type { CallerKey } from "../http/caller.ts";
import { MAX_ADJUSTMENT_DOLLARS } from "../wallet/wallet-service.ts";

/** More than so many credits are nobody's mistake of a few dollars: the price or its bound is wrong. */
const MOST_CREDITS = 10;

const dollars = (amount: number) => formatDollars(microDollars(amount));

/** Why a run is BLOCKED: every control that refused it, and what would help. */
export function blockedReason(controls: readonly MetControl[]): string {
  const blocking = controls.filter(({ isBlocking }) => isBlocking);
  const required = blocking[0]?.requiredMicroDollars ?? 0;
  const causes = blocking.map(controlWords).join("; ");
  return `This run may cost up to ${dollars(required)}: ${causes}. Nothing was called or charged.`;
}

function controlWords(met: MetControl): string {
  if (met.kind === "runCap") return `the run cap ${met.controlId} allows ${dollars(met.limitMicroDollars)} a run`;
  const left = dollars(Math.max(0, availableIn(met)));
  const until = windowEnd(met.period, met.windowStart);
  return `the budget ${met.controlId} has ${left} of ${dollars(met.limitMicroDollars)} left for the ${met.period.toLowerCase()} until ${until}`;
}

export function maxCostRefusal({
  required,
  maxCost,
}: {
  readonly required: number;
  readonly maxCost: number;
}): ApiError {
  return new ApiError(
    "insufficientFunds",
    `This run may cost up to ${dollars(required)}, which is above its maxCost of ${dollars(maxCost)}. ` +
      "Nothing was called or held. Raise maxCost, or ask for less.",
  );
}

export function keyLimitRefusal(
  key: Pick<CallerKey, "label"> | undefined,
  { required, available }: { readonly required: number; readonly available: number },
): ApiError {
  return new ApiError(
    "forbidden",
    `The spend limit of the key "${key?.label ?? ""}" leaves ${dollars(Math.max(0, available))}, and this run may cost up to ` +
      `${dollars(required)}. Nothing was called or held. Use another key, or wait until its period is over.`,
    { errorCode: "KEY_LIMIT" },
  );
}

/** `workspace`: slug to name in the command; absent for the operator's own. */
export function walletRefusal({
  required,
  balance,
  workspace,
}: {
  readonly required: number;
  readonly balance: number;
  readonly workspace?: string | undefined;
}): ApiError {
  const errorCode = "WALLET_INSUFFICIENT_FUNDS";
  const why = `The wallet has ${dollars(balance)} and this run may cost up to ${dollars(required)}. Nothing was called or held.`;
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
