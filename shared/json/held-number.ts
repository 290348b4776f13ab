const MAX_LOOKED_AT = 120;
/** `toPrecision` takes no more. */
const MAX_PRECISION = 100;

/**
 * Whether a literal of JSON comes out of `JSON.parse` and `JSON.stringify` as the same number, however it is then written:
 * `1E2` as 100, `1.50` as 1.5, `-0` as 0. A whole number without an exponent must come out digit for digit, since it may be an
 * id. A fraction may also be the very double that is held, written with more digits than it needs: `3.1400000000000001`. What
 * is no number counts as held: it is for `JSON.parse` to refuse.
 */
export function isHeld(literal: string): boolean {
  const number = Number(literal);
  const held = String(number);
  if (held === literal) return true;
  if (!Number.isFinite(number)) return Number.isNaN(number);
  if (/^-?\d+$/.test(literal)) return number === 0;
  // Longer than any double is written: at worst a number that would be held goes on as a text.
  if (literal.length > MAX_LOOKED_AT) return false;
  const told = decimalOf(literal);
  const kept = decimalOf(held);
  if (told.digits === kept.digits && told.exponent === kept.exponent) return true;
  const { length } = told.digits;
  if (length > MAX_PRECISION || told.exponent >= 0) return false;
  const written = decimalOf(number.toPrecision(Math.max(1, length)));
  return written.digits === told.digits && written.exponent === told.exponent;
}

/** `digits` × 10^`exponent`, without zeros at either end; 0 is no digits. The sign is left out: it is never lost. */
function decimalOf(literal: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = "", fraction = "", power = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { digits, exponent: 0 };
  return { digits, exponent: Number(power) - fraction.length + (all.length - digits.length) };
}
