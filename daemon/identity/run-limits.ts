import type { SpendLimit } from "../../shared/contract/key-limits.ts";
import { ApiError } from "../../shared/errors.ts";
import { formatDollars, type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";
import type { CallerKey } from "../http/callers/caller.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";

type RunLimits = Pick<KeyRecord, "providers" | "endpoints" | "spendLimit" | "limitedBy">;

/** Every run of a key counts for each of the keys that limit it. */
const MAX_LIMITING_KEYS = 8;

/** The requested limits of a new key; absent members are the maker's own. */
export interface WantedLimits {
  readonly providers?: readonly string[] | undefined;
  readonly endpoints?: readonly string[] | undefined;
  readonly spendLimit?: SpendLimit | undefined;
}

/**
 * The limits of a new key, never wider than those of the key that makes it: 403 for more, 400 for contradictions.
 * docs/contract.md, "Key limits".
 */
export function runLimitsWithin(maker: CallerKey | undefined, wanted: WantedLimits): RunLimits {
  const providers = listWithin("providers", maker?.providers, wanted.providers);
  const endpoints = listWithin("endpoints", maker?.endpoints, wanted.endpoints);
  checkProvidersOf(wanted, providers);
  const spendLimit = spendLimitWithin(maker?.spendLimit, wanted.spendLimit);
  const limitedBy = maker === undefined ? [] : limitingKeys(maker);
  return {
    ...(providers !== undefined && { providers }),
    ...(endpoints !== undefined && { endpoints }),
    ...(spendLimit !== undefined && { spendLimit }),
    ...(limitedBy.length > 0 && { limitedBy }),
  };
}

function limitingKeys({ keyId, spendLimit, limitedBy = [] }: CallerKey): string[] {
  const keys = spendLimit === undefined ? [...limitedBy] : [keyId, ...limitedBy];
  if (keys.length <= MAX_LIMITING_KEYS) return keys;
  throw new ApiError(
    "forbidden",
    `This key was created through a chain of ${MAX_LIMITING_KEYS} keys with a spend limit and cannot create another; use one of those`,
  );
}

function listWithin(
  member: "providers" | "endpoints",
  own: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): string[] | undefined {
  if (wanted === undefined) return own === undefined ? undefined : [...own];
  const excess = own === undefined ? undefined : wanted.find((name) => !own.includes(name));
  if (excess !== undefined) throw notOwn(member, excess);
  return [...new Set(wanted)];
}

/** An endpoint of a provider that is not on the list could never be run. */
function checkProvidersOf(wanted: WantedLimits, providers: readonly string[] | undefined): void {
  const excess = wanted.endpoints?.find((name) => providers?.includes(providerOf(name)) === false);
  if (excess === undefined) return;
  if (wanted.providers === undefined) throw notOwn("endpoints", excess);
  throw new ApiError("invalidInput", `endpoints: ${excess} belongs to a provider that is not in providers`);
}

function spendLimitWithin(
  own: RunLimits["spendLimit"],
  wanted: SpendLimit | undefined,
): RunLimits["spendLimit"] | undefined {
  if (wanted === undefined) return own;
  const limit = { microDollars: readAmount(wanted), period: wanted.period };
  if (own !== undefined && (limit.period !== own.period || limit.microDollars > own.microDollars)) {
    const most = `${formatDollars(own.microDollars)} a ${own.period.toLowerCase()}`;
    throw new ApiError("forbidden", `spendLimit: a key cannot pass on more than its own limit, ${most}`);
  }
  return limit;
}

function readAmount({ amount }: SpendLimit): MicroDollars {
  try {
    const value = parseDollars(amount.value);
    if (value >= 0) return value;
  } catch {
    // Reported below, with the member's name.
  }
  throw new ApiError(
    "invalidInput",
    `spendLimit.amount: must be dollars from 0 with at most 6 decimal places (got ${amount.value})`,
  );
}

function providerOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.indexOf("/"));
}

function notOwn(member: string, name: string): ApiError {
  return new ApiError("forbidden", `${member}: a key cannot pass on ${name}, which it may not run itself`);
}
