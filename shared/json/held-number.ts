const MAX_LOOKED_AT = 120;
/** The maximum of `toPrecision`. */
const MAX_PRECISION = 100;

/**
 * Whether a JSON literal remains the same number through `JSON.parse` and `JSON.stringify`, even if it is written
 * differently: `1E2` as 100, `1.50` as 1.5, `-0` as 0. An integer without an exponent must remain the same digit for
 * digit, since it may be an id. A fraction may also be exactly the double, written with more digits than necessary:
 * `3.1400000000000001`. Text that is not a number counts as held: `JSON.parse` refuses it.
 */
export function isHeld(literal: string): boolean {
  const number = Number(literal);
  const held = String(number);
  if (held === literal) return true;
  if (!Number.isFinite(number)) return Number.isNaN(number);
  if (/^-?\d+$/.test(literal)) return number === 0;
  // Longer than any double is written: at worst a number that could be held is passed on as a text.
  if (literal.length > MAX_LOOKED_AT) return false;
  const told = decimalOf(literal);
  const kept = decimalOf(held);
  if (told.digits === kept.digits && told.exponent === kept.exponent) return true;
  const { length } = told.digits;
  if (length > MAX_PRECISION || told.exponent >= 0) return false;
  const written = decimalOf(number.toPrecision(Math.max(1, length)));
  return written.digits === told.digits && written.exponent === told.exponent;
}

/** `digits` × 10^`exponent`, without zeros at either end; 0 has no digits. The sign is left out: it is never lost. */
function decimalOf(literal: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = "", fraction = "", power = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { digits, exponent: 0 };
  return { digits, exponent: Number(power) - fraction.length + (all.length - digits.length) };
}
