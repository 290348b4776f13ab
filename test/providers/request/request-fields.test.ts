import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldStyle } from "../../../daemon/manifest/manifest.ts";
import { toFields, toFormText, toQueryString } from "../../../daemon/providers/request/request-fields.ts";

const name = fc.string({ unit: "grapheme", minLength: 1 });
const scalar = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean());
const texts = fc.array(scalar, { minLength: 1, maxLength: 5 });

const spelled = (values: Record<string, unknown>, style: FieldStyle) =>
  toFields(values, { arrays: "repeat", styles: Object.fromEntries(Object.keys(values).map((key) => [key, style])) });

const separators = { comma: ",", pipes: "%7C", spaces: "%20", tabs: "%09" } as const;

describe("a query", () => {
  test("has only characters that may stand in one (RFC 3986, 3.4)", () => {
    const styles: readonly FieldStyle[] = ["repeat", "brackets", "comma", "pipes", "spaces", "tabs", "flat", "json"];
    fc.assert(
      fc.property(
        fc.constantFrom(...styles),
        name,
        fc.oneof(texts, fc.dictionary(name, scalar)),
        (style, key, value) => {
          expect(toQueryString(spelled({ [key]: value }, style))).toMatch(
            /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*$/,
          );
        },
      ),
    );
  });

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
        // But for the comma, what stands between items is spelled as it is inside one: there they cannot be told apart.
        const isAmbiguous = separator.startsWith("%") && list.some((item) => / |\t|\|/.test(String(item)));
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
