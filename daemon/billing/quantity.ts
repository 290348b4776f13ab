import { ceil, compare, fromDecimal, fromInteger, type Rational } from "../../shared/rational.ts";

/** Longer than any double's shortest text: a measured fraction is read exactly, whatever its length. */
const ANY_FRACTION_DIGITS = 400;

const MAX_QUANTITY = fromInteger(Number.MAX_SAFE_INTEGER);

/**
 * A quantity that may be billed: a number from 0 to 2^53 - 1, read exactly, or the length of a list. Undefined for
 * everything else (negative, NaN, infinite, too large, text, and fractions unless they are allowed): such a value is
 * never guessed at. docs/manifest.md, "Unmeasured quantities"; docs/security.md, T23.
 */
export function readQuantity(value: unknown, { fractions }: { readonly fractions: boolean }): Rational | undefined {
  if (Array.isArray(value)) return fromInteger(value.length);
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return undefined;
  const quantity = fromDecimal(value, ANY_FRACTION_DIGITS);
  if (compare(quantity, MAX_QUANTITY) > 0) return undefined;
  return fractions || compare(fromInteger(ceil(quantity)), quantity) === 0 ? quantity : undefined;
}
