import { z } from "zod";
import { closedObject } from "./closed-object.ts";

/** An instant in ISO 8601 with its offset, such as `2025-03-01T09:30:00.000Z`. */
export const DateTime = z.iso.datetime({ offset: true });

/** Slugs of providers, categories and identity providers. */
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Text of `min` to `max` characters, counted as Unicode code points as in JSON Schema; by default zod counts UTF-16
 * units, of which an emoji has two. docs/contract.md, "Lengths and limits".
 */
export function textOfLength(min: number, max: number) {
  return z
    .string()
    .check(({ value: input, issues }) => {
      const characters = [...input].length;
      if (characters < min) issues.push({ code: "too_small", origin: "string", minimum: min, inclusive: true, input });
      if (characters > max) issues.push({ code: "too_big", origin: "string", maximum: max, inclusive: true, input });
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

/** The format of an amount; uses the received value if it is a number. */
function moneyLike(came?: unknown): string {
  const value = typeof came === "number" && Number.isFinite(came) ? came : 0.05;
  return `{"value": ${value}, "currency": "USD"}`;
}

/** Dollars as a plain number. Inside the service money is integer micro-dollars; this is the wire. */
export const Money = z
  .object(
    {
      value: z.number({ error: () => `must be a number, as in ${moneyLike()}` }),
      currency: z.enum(["USD"], { error: () => `must be "USD", as in ${moneyLike()}` }),
    },
    {
      error: ({ code, input }) =>
        code === "invalid_type" ? `must be an amount, as in ${moneyLike(input)}` : undefined,
    },
  )
  .meta({ id: "Money" });
export type Money = z.infer<typeof Money>;

/** Money in a request that spends or limits: no members besides the amount. */
export const MoneyGiven = closedObject(Money.shape, (input) => `must be an amount, as in ${moneyLike(input)}`).meta({
  id: "MoneyGiven",
});
export type MoneyGiven = z.infer<typeof MoneyGiven>;

const moneyUnitsLike = `{"value": 5, "unit": "DOLLAR", "currency": "USD"}`;

export const MoneyUnits = closedObject(
  {
    currency: z.enum(["USD"], { error: `must be "USD", as in ${moneyUnitsLike}` }),
    value: z.int().min(0),
    unit: z.enum(["MICRO_DOLLAR", "CENT", "DOLLAR"], {
      error: `must be one of MICRO_DOLLAR, CENT, DOLLAR, as in ${moneyUnitsLike}`,
    }),
  },
  () => `must be an amount, as in ${moneyUnitsLike}`,
).meta({ id: "MoneyUnits", description: "An integer amount in a named unit." });
export type MoneyUnits = z.infer<typeof MoneyUnits>;

export const Period = z
  .object({ unit: z.enum(["MINUTE", "DAY", "MONTH"]), count: z.int().gt(0) })
  .meta({ id: "Period" });
export type Period = z.infer<typeof Period>;

const publishedErrorCodes = [
  "RATE_LIMITED",
  "X402_WORKSPACE_RESOURCES",
  "X402_ACCRUING_COST",
  "X402_EXCEEDS_SETTLEMENT_WINDOW",
  "X402_VALIDITY_WINDOW_TOO_SHORT",
  "X402_UNBOUNDED_PRICE",
  "INSUFFICIENT_SCOPE",
  "WALLET_INSUFFICIENT_FUNDS",
  "IDENTITY_PROVIDER_UNKNOWN",
  "IDENTITY_LINK_REQUIRES_SESSION",
  "IDENTITY_LINK_STATE_INVALID",
  "IDENTITY_VERIFICATION_FAILED",
  "IDENTITY_PROVIDER_UNAVAILABLE",
  "IDENTITY_ALREADY_LINKED",
  "IDENTITY_USER_ALREADY_LINKED",
  "IDENTITY_LINK_RATE_LIMITED",
  "IDENTITY_REQUIRED",
  "PROMO_IDENTITY_REDEEMED",
  "PROMO_REDEEM_REQUIRES_SESSION",
  "PROMO_REDEEM_DISABLED",
] as const;
const ownErrorCodes = [
  "APPROVALS_FULL",
  "KEY_LIMIT",
  "MISSING_GRANT",
  "MISSING_SECRET",
  "NOT_CONFIGURED",
  "NOT_CONNECTED",
  "PROVIDER_NOT_LOADED",
  "SCHEDULE_BUDGET",
  "STORAGE_FAILED",
  "WORKSPACE_MISMATCH",
] as const;

/**
 * Machine-readable error codes; a reader ignores unknown ones. Our own extend the published list.
 * docs/contract.md, "Error codes".
 */
export const ErrorCode = z.enum([...publishedErrorCodes, ...ownErrorCodes]).meta({
  "x-wire": { type: "string", enum: publishedErrorCodes, "x-enum-extended": ownErrorCodes },
});
export type ErrorCode = z.infer<typeof ErrorCode>;

/** The body of every error. Named `Error` in the contract. docs/contract.md, "Error body". */
export const ErrorBody = z
  .object({
    code: z.int().min(400).max(599).meta({ description: "Same number as the HTTP status." }),
    message: z.string().meta({ description: "Text for a human." }),
    errorCode: ErrorCode.optional().meta({
      description: "Optional machine code. A reader ignores values it does not know.",
    }),
  })
  .meta({ id: "Error" });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The cursor of a page: opaque, absent on the last page. docs/contract.md, "Last page". */
export const NextCursor = z.string().optional().meta({ description: "Opaque; absent on the last page." });

/** A page of items inside the service. */
export interface Page<Item> {
  items: Item[];
  cursor?: string;
}
