import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldStyle } from "../../daemon/manifest/manifest.ts";
import { toFields, toFormText, toQueryString } from "../../daemon/providers/request-fields.ts";

const name = fc.string({ unit: "grapheme", minLength: 1 });
const scalar = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean());
const texts = fc.array(scalar, { minLength: 1, maxLength: 5 });

const spelled = (values: Record<string, unknown>, style: FieldStyle) =>
  toFields(values, { arrays: "repeat", styles: Object.fromEntries(Object.keys(values).map((key) => [key, style])) });

const separators = { comma: ",", pipes: "|", spaces: "%20", tabs: "%09" } as const;

describe("a query", () => {
  test("that repeats is read back as it was meant by any parser", () => {
    fc.assert(
      fc.property(name, texts, (key, list) => {
        const query = toQueryString(spelled({ [key]: list }, "repeat"));

        expect(new URLSearchParams(query).getAll(key)).toEqual(list.map(String));
      }),
    );
  });

  test.each(Object.entries(separators))("with %s keeps its items apart, whatever is in them", (style, separator) => {
    fc.assert(
      fc.property(texts, (list) => {
        const query = toQueryString(spelled({ v: list }, style as FieldStyle));

        const items = query.slice("v=".length).split(separator);
        // A blank or a tab inside an item is spelled as the separator is: only there they cannot be told apart.
        const isAmbiguous = list.some((item) => / |\t/.test(String(item))) && separator.startsWith("%");
        if (!isAmbiguous) expect(items.map(decodeURIComponent)).toEqual(list.map(String));
      }),
    );
  });

  test("and a form say the same", () => {
    const styles: readonly FieldStyle[] = ["repeat", "brackets", "comma", "pipes", "spaces", "tabs", "flat", "json"];
    fc.assert(
      fc.property(
        fc.constantFrom(...styles),
        name,
        fc.oneof(scalar, texts, fc.dictionary(name, scalar)),
        (...parts) => {
          const [style, key, value] = parts;
          const fields = spelled({ [key]: value }, style);

          expect([...new URLSearchParams(toQueryString(fields))]).toEqual([...new URLSearchParams(toFormText(fields))]);
        },
      ),
    );
  });
});
