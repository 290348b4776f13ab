import { decodeTime, isValid } from "ulid";
import { expect, test } from "vitest";
import { createIdSource } from "../../daemon/base/new-id.ts";

test("an id is a ULID of the moment when it was made", () => {
  const newId = createIdSource();
  const beforeMs = Date.now();

  const ids = Array.from({ length: 1_000 }, newId);

  expect(ids.every((id) => isValid(id))).toBe(true);
  const times = ids.map((id) => decodeTime(id));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(beforeMs);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
});

test("each letter of the random part is any of the 32, and no two ids are the same", () => {
  const newId = createIdSource();

  const parts = Array.from({ length: 5_000 }, () => newId().slice(10));

  expect(new Set(parts).size).toBe(parts.length);
  const lettersAt = Array.from({ length: 16 }, (_, at) => new Set(parts.map((part) => part[at])).size);
  expect(lettersAt).toEqual(Array.from({ length: 16 }, () => 32));
});
