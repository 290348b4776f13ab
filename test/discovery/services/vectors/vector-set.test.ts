import { describe, expect, test } from "vitest";
import { packVector, unpackVector, VectorSet } from "../../../../daemon/discovery/services/vectors/vector-set.ts";
import { directionOf } from "../stand-in.ts";

const DIMENSIONS = 64;

function unit(numbers: readonly number[]): Float32Array {
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0));
  return Float32Array.from(numbers, (number) => number / length);
}

/** Vectors that all point roughly the same way, as those of real models do; one of each group is near to the others of it. */
function vectorOf(name: string, group: string): Float32Array {
  const own = directionOf(name, DIMENSIONS);
  const common = directionOf(`group ${group}`, DIMENSIONS);
  return unit(own.map((number, place) => number * 0.6 + (common[place] ?? 0) + 2 / Math.sqrt(DIMENSIONS)));
}

function filled(count: number): { readonly set: VectorSet; readonly rows: Int32Array } {
  const set = new VectorSet(DIMENSIONS);
  for (let number = 0; number < count; number += 1) {
    set.set(`${number}`, packVector(vectorOf(`${number}`, `${number % 40}`)));
  }
  for (const _ of set.settle());
  return { set, rows: Int32Array.from({ length: count }, (_, number) => set.rowOf(`${number}`) ?? -1) };
}

describe("a set of vectors", () => {
  test("has the cosines of what was put in, to the hundredth, in one byte a number", () => {
    const [one, other] = [vectorOf("one", "a"), vectorOf("other", "a")];
    const set = new VectorSet(DIMENSIONS);
    set.set("one", packVector(one));

    const exact = one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);

    expect(Math.abs(set.cosine(other, set.rowOf("one") ?? -1) - exact)).toBeLessThan(0.01);
    expect(set.cosine(unpackVector(packVector(one)), set.rowOf("one") ?? -1)).toBeCloseTo(1, 5);
  });

  test("looks first where the nearest are, though all vectors point roughly the same way", () => {
    const { set, rows } = filled(2_000);
    const query = vectorOf("a question", "7");

    const looked = [...set.likelyNearest(query, rows)];

    const nearest = looked.toSorted((a, b) => set.cosine(query, b) - set.cosine(query, a)).slice(0, 20);
    expect(looked).toHaveLength(2_000);
    expect(nearest.filter((place) => looked.indexOf(place) < 200).length).toBeGreaterThanOrEqual(19);
  });

  test("leaves out what has no vector", () => {
    const { set } = filled(10);

    const looked = set.likelyNearest(vectorOf("a question", "1"), Int32Array.of(-1, 3, -1, 4));

    expect([...looked].sort()).toEqual([1, 3]);
  });

  test("gives the rows of what was let go of to others", () => {
    const { set } = filled(10);

    set.retain(new Set(["2", "3"]));
    set.set("new", packVector(vectorOf("new", "x")));

    expect(set.size).toBe(3);
    expect(set.rowOf("1")).toBeUndefined();
    expect(set.rowOf("new")).toBeLessThan(10);
    expect(set.cosine(vectorOf("new", "x"), set.rowOf("new") ?? -1)).toBeCloseTo(1, 2);
  });
});
