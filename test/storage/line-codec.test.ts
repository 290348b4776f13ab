import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeLine,
  encodeLine,
  lineBody,
  splitLines,
  validLinesFrom,
} from "../../daemon/storage/journal/segments/line-codec.ts";
import { anyCharacter, anyText } from "../support/any-text.ts";

const RESERVED = new Set(["s", "b", "e", "a", "c"]);

const content = fc
  .dictionary(
    anyText().filter((name) => !RESERVED.has(name)),
    fc.jsonValue({ stringUnit: anyCharacter }),
    { minKeys: 1 },
  )
  // As it is after a way through JSON, where -0 is 0.
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);
const place = fc.record({
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  batch: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  endsBatch: fc.boolean(),
});

function encode(value: object, at: { seq: number; batch: number; endsBatch: boolean }): Buffer {
  const body = lineBody(value);
  const buffer = Buffer.alloc(body.bytes);
  return buffer.subarray(0, encodeLine(buffer, 0, body, at).end);
}

test("whatever is written is read back, and fits into the size that was foretold", () => {
  fc.assert(
    fc.property(content, place, (value, at) => {
      const bytes = encode(value, at);

      const decoded = decodeLine(bytes.subarray(0, -1));

      expect(bytes.at(-1)).toBe(0x0a);
      expect(decoded).toMatchObject(at);
      expect(typeof decoded === "object" && decoded.content).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test("a line is one line of JSON with its checksum last", () => {
  const bytes = encode({ t: "run.go", note: "a\nb" }, { seq: 1201, batch: 388, endsBatch: true });

  const text = bytes.toString("utf8");

  expect(text).toMatch(/^\{"s":1201,"b":388,"e":1,"t":"run\.go","note":"a\\nb","c":"[0-9a-f]{8}"\}\n$/);
  expect(Object.keys(JSON.parse(text)).at(-1)).toBe("c");
});

test("a line with any one bit turned is not taken for a line", () => {
  fc.assert(
    fc.property(content, place, fc.nat(), fc.nat(7), (value, at, byte, bit) => {
      const bytes = encode(value, at).subarray(0, -1);
      bytes.writeUInt8(bytes.readUInt8(byte % bytes.length) ^ (1 << bit), byte % bytes.length);

      const decoded = decodeLine(bytes);

      expect(typeof decoded).toBe("string");
    }),
    { numRuns: 500 },
  );
});

test("a line that was cut anywhere is not taken for a line", () => {
  const bytes = encode({ t: "run.go", text: "ö" }, { seq: 1, batch: 1, endsBatch: false });

  const decoded = Array.from({ length: bytes.length - 1 }, (_, length) => decodeLine(bytes.subarray(0, length)));

  expect(decoded.every((line) => typeof line === "string")).toBe(true);
});

test.each(["s", "b", "e", "a", "c"])('a line cannot bring a member "%s" of its own', (name) => {
  expect(() => lineBody({ t: "x", [name]: 1 })).toThrow(TypeError);
});

test("a line needs a member", () => {
  expect(() => lineBody({})).toThrow(TypeError);
});

test("the last line is marked when its newline is missing", () => {
  const bytes = Buffer.from("one\ntwo\nthr");

  const lines = [...splitLines(bytes)].map((line) => [line.offset, line.bytes.toString(), line.isWhole]);

  expect(lines).toEqual([
    [0, "one", true],
    [4, "two", true],
    [8, "thr", false],
  ]);
});

test("a valid line is found behind damage that took the newline before it", () => {
  const one = encode({ t: "a", text: '{"s":' }, { seq: 1, batch: 1, endsBatch: true });
  const two = encode({ t: "b" }, { seq: 2, batch: 2, endsBatch: true });
  one.writeUInt8(0x20, one.length - 1);

  const found = [...validLinesFrom(Buffer.concat([one, two]), 0)];

  expect(found.map((line) => line.batch)).toEqual([2]);
});
