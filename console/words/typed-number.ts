/** What stands between whole and part in the numbers of the reader's place: a point or a comma. */
export function readersDecimalSign(locale?: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(0.5);
  return parts.find(({ type }) => type === "decimal")?.value ?? ".";
}

/** A number as its reader would type it: what `withPoint` reads back as the same. */
export function numberAsTyped(value: number, decimalSign = readersDecimalSign()): string {
  return decimalSign === "," ? String(value).replace(".", ",") : String(value);
}

/** As some write thousands, `1.000`, where the point is not the reader's decimal sign: it could mean either. */
const THOUSANDS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/**
 * A number as a reader types it, with a point: `0,50` is `0.50` where a comma is the decimal sign. Undefined for what could
 * be read in two ways, and for a comma where it is none.
 */
export function withPoint(typed: string, decimalSign = readersDecimalSign()): string | undefined {
  const text = typed.trim();
  if (decimalSign !== ",") return text.includes(",") ? undefined : text;
  if (THOUSANDS.test(text)) return undefined;
  return text.includes(".") && text.includes(",") ? undefined : text.replace(",", ".");
}
