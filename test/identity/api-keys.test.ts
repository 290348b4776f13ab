import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashCredential, issueKey, parseKey } from "../../daemon/identity/api-keys.ts";

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("every key has the form mkt_live_ and 49 letters and digits", () => {
  fc.assert(
    fc.property(random, (bytes) => {
      expect(issueKey(bytes).key).toMatch(/^mkt_live_[0-9A-Za-z]{49}$/);
    }),
  );
});

test("a key is found by its hash whatever its first word", () => {
  fc.assert(
    fc.property(random, fc.constantFrom("mkt", "monid", "x"), (bytes, word) => {
      const issued = issueKey(bytes);
      const credential = parseKey(issued.key.replace(/^mkt/, word));

      expect(credential).toBeDefined();
      expect(hashCredential(credential ?? "")).toBe(issued.hash);
    }),
  );
});

test("a key with one character changed is no key", () => {
  fc.assert(
    fc.property(random, fc.nat({ max: 48 }), fc.constantFrom("0", "A", "z"), (bytes, index, digit) => {
      const { key } = issueKey(bytes);
      const at = "mkt_live_".length + index;
      fc.pre(key[at] !== digit);

      expect(parseKey(key.slice(0, at) + digit + key.slice(at + 1))).toBeUndefined();
    }),
  );
});

test("the stage is part of the credential", () => {
  const { key } = issueKey();

  expect(parseKey(key.replace("_live_", "_test_"))).toBeUndefined();
});

test("what may be shown does not give the key away", () => {
  const { key, prefix, fingerprint } = issueKey();

  expect(key.startsWith(prefix)).toBe(true);
  expect(prefix).toMatch(/^mkt_live_[0-9A-Za-z]{8}$/);
  expect(key).not.toContain(fingerprint);
});

test.each([
  "",
  "mkt",
  "mkt_live",
  "mkt_live_",
  "Bearer",
  "eyJhbGciOiJub25lIn0.e30.",
  "mkt_live_%00",
  "mkt__x".repeat(1_000),
])("%j is no key", (text) => {
  expect(parseKey(text)).toBeUndefined();
});
