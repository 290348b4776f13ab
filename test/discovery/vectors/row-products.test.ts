import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createKernelProducts,
  createPlainProducts,
  createRowProducts,
  type Rows,
} from "../../../daemon/discovery/vectors/row-products.ts";
import { openKernelMemory } from "../../../daemon/discovery/vectors/simd/row-kernel.ts";

const FOUR_GIBIBYTES = 2 ** 32;

const byte = fc.integer({ min: -128, max: 127 });
const factor = fc.integer({ min: -1_000, max: 1_000 });

/** Rows and a query as wide as they are. */
const anyRows = fc.integer({ min: 1, max: 40 }).chain((width) =>
  fc.record({
    width: fc.constant(width),
    rows: fc
      .array(fc.array(byte, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 9 })
      .map((rows) => Int8Array.from(rows.flat())),
    query: fc.array(factor, { minLength: width, maxLength: width }).map((factors) => Int16Array.from(factors)),
  }),
);

test("with SIMD and without, products are those of the definition, whatever the width of a row", () => {
  fc.assert(
    fc.property(anyRows, ({ rows, width, query }) => {
      const expected = productsOf({ rows, width }, query);
      const kernel = createKernelProducts({ rows, width });
      const plain = createPlainProducts({ rows, width });

      expect(kernel?.withAll(query)).toEqual(expected);
      expect(plain.withAll(query)).toEqual(expected);
      for (const [row, product] of expected.entries()) {
        expect(kernel?.with(query, row)).toBe(product);
        expect(plain.with(query, row)).toBe(product);
      }
    }),
  );
});

test("the largest numbers that there are fit into a sum", () => {
  const width = 1_024;
  const rows = new Int8Array(width).fill(-128);
  const query = new Int16Array(width).fill(-1_000);

  expect(createKernelProducts({ rows, width })?.withAll(query)).toEqual(Int32Array.of(128 * 1_000 * width));
  expect(createPlainProducts({ rows, width }).withAll(query)).toEqual(Int32Array.of(128 * 1_000 * width));
});

test("one row that is asked for leaves the products of all as they are", () => {
  const rows = Int8Array.from({ length: 1_000 * 128 }, (_, at) => (at % 251) - 125);
  const products = createRowProducts({ rows, width: 128 });
  const query = Int16Array.from({ length: 128 }, (_, at) => at);
  const other = Int16Array.from({ length: 128 }, (_, at) => -at);

  const all = products.withAll(query);
  const before = all.slice();

  expect(products.with(other, 7)).toBe(-(before[7] ?? 0));
  expect(all).toEqual(before);
});

test("no rows have no products", () => {
  expect(createRowProducts({ rows: new Int8Array(0), width: 128 }).withAll(new Int16Array(128))).toHaveLength(0);
  expect(createRowProducts({ rows: new Int8Array(0), width: 0 }).withAll(new Int16Array(0))).toHaveLength(0);
});

test("where memory cannot be had there is no kernel, and nobody fails", () => {
  expect(openKernelMemory(2 * FOUR_GIBIBYTES)).toBeUndefined();
});

function productsOf({ rows, width }: Rows, query: Int16Array): Int32Array {
  return Int32Array.from({ length: rows.length / width }, (_, row) =>
    query.reduce((sum, value, at) => sum + value * (rows[row * width + at] ?? 0), 0),
  );
}
