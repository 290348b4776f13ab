import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../../shared/errors.ts";
import { decodeCursor, encodeCursor } from "../../daemon/http/cursors/cursor.ts";
import { anyText } from "../support/any-text.ts";

const position = fc.oneof(fc.integer(), fc.maxSafeNat(), fc.string({ unit: "grapheme" }));

test("a cursor of this service is read as it was written", () => {
  fc.assert(
    fc.property(fc.string(), position, (kind, place) => {
      expect(decodeCursor(kind, encodeCursor(kind, place))).toEqual(place);
    }),
  );
});

test("a cursor of another list is 400", () => {
  fc.assert(
    fc.property(position, (place) => {
      expect(() => decodeCursor("runs", encodeCursor("keys", place))).toThrow(ApiError);
    }),
  );
});

test("a text that this service did not issue is 400", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), anyText()), (text) => {
      expect(() => decodeCursor("runs", text)).toThrow(expect.objectContaining({ status: 400 }));
    }),
  );
});

test("a cursor with one character changed, cut or added is 400", () => {
  fc.assert(
    fc.property(position, fc.nat(), fc.constantFrom("A", "b", "9", "-", ""), (place, index, replacement) => {
      const cursor = encodeCursor("runs", place);
      const at = index % cursor.length;
      fc.pre(cursor[at] !== replacement);
      const changed = cursor.slice(0, at) + replacement + cursor.slice(at + 1);

      expect(() => decodeCursor("runs", changed)).toThrow(expect.objectContaining({ kind: "invalidInput" }));
      expect(() => decodeCursor("runs", `${cursor}${replacement || "A"}`)).toThrow(ApiError);
    }),
  );
});

test("a cursor goes into a query as it is", () => {
  fc.assert(
    fc.property(position, (place) => {
      expect(encodeCursor("runs", place)).toMatch(/^[A-Za-z0-9_-]+$/);
    }),
  );
});
