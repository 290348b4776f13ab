import { parseExactly } from "../shared/json/parse-exactly.ts";
import { JsonScanner } from "../shared/json/scan-json.ts";

/** Bodies of about the same weight whose values differ, by what they are. */
export function bodies(): Readonly<Record<string, string>> {
  const list = (count: number, make: (at: number) => unknown) =>
    JSON.stringify(Array.from({ length: count }, (_, at) => make(at)));
  const row = (at: number) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, field) => [
        `field_number_${field}`,
        field % 2 === 0 ? at * field : `the value ${field} of row ${at}, in a few words`,
      ]),
    );
  return {
    "10,000 rows of 20 fields": list(10_000, row),
    "250,000 empty objects": list(250_000, () => ({})),
    "250,000 short numbers": list(250_000, (at) => at),
    "250,000 long fractions": list(250_000, (at) => Math.sin(at + 1)),
    "250,000 names in one object": JSON.stringify(
      Object.fromEntries(Array.from({ length: 249_999 }, (_, at) => [`k${at}`, at])),
    ),
    "one text of 8 MB": JSON.stringify("a text without an end ".repeat(380_000)),
    "250,000 ids of 64 bits": `[${Array.from({ length: 249_999 }, (_, at) => `9${String(at).padStart(18, "0")}`).join(",")}]`,
  };
}

export function scan(text: string): void {
  const scanner = new JsonScanner(text);
  while (!scanner.isDone) scanner.advance(65_536);
}

export { parseExactly };
