import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../daemon/providers/redact.ts";

const longEnough = fc.string({ unit: "grapheme", minLength: 6, maxLength: 40 });

describe("redaction", () => {
  test("of any secret leaves none of its spellings in any text around it", () => {
    fc.assert(
      fc.property(longEnough, fc.string(), fc.string(), (secret, before, after) => {
        const redactor = createRedactor(() => [secret]);
        const spelled = [
          secret,
          encodeURIComponent(secret),
          JSON.stringify(secret).slice(1, -1),
          new URLSearchParams({ k: secret }).toString().slice(2),
          Buffer.from(secret).toString("hex"),
          Buffer.from(secret).toString("hex").toUpperCase(),
        ];

        for (const form of spelled) expect(redactor.text(`${before}${form}${after}`)).toContain("[redacted]");
        const formEncoded = new URLSearchParams({ k: secret }).toString().slice(2);
        for (const part of [secret, formEncoded]) {
          expect(redactor.text(Buffer.from(`user:${part}`).toString("base64"))).toContain("[redacted]");
        }
        expect(redactor.text(secret)).toBe("[redacted]");
      }),
      { numRuns: 500 },
    );
  });

  test("takes the longer of two secrets whole", () => {
    const redactor = createRedactor(() => ["secret-one", "secret-one-and-more"]);

    expect(redactor.text("x secret-one-and-more y")).toBe("x [redacted] y");
  });

  test("goes through every level, names and numbers included, and leaves the original alone", () => {
    const redactor = createRedactor(() => ["123456789", "abcdefgh"]);
    const value = { list: [{ abcdefgh: 123456789 }], plain: 12, none: null, on: true };

    expect(redactor.json(value)).toEqual({ list: [{ "[redacted]": "[redacted]" }], plain: 12, none: null, on: true });
    expect(value.list[0]).toEqual({ abcdefgh: 123456789 });
  });

  test("of a secret that is deep inside takes no longer than of one at the top", () => {
    const redactor = createRedactor(() => ["abcdefgh"]);
    let value: unknown = "abcdefgh";
    let expected: unknown = "[redacted]";
    for (let depth = 0; depth < 200; depth += 1) {
      value = depth % 2 === 0 ? { a: 1, b: value } : ["x", value, "y"];
      expected = depth % 2 === 0 ? { a: 1, b: expected } : ["x", expected, "y"];
    }

    expect(redactor.json(value)).toEqual(expected);
  });

  test("finds a secret in whichever member it stands, and keeps the order of all of them", () => {
    const redactor = createRedactor(() => ["abcdefgh"]);
    const word = fc.stringMatching(/^[xyz]{0,3}$/);
    fc.assert(
      fc.property(fc.object({ key: word, values: [word, fc.integer(), fc.boolean()], maxDepth: 4 }), (value) => {
        const spoilt = JSON.stringify(value).replaceAll(/"(x[a-z]*)"/g, '"abcdefgh$1"');
        const parsed: unknown = JSON.parse(spoilt);
        expect(JSON.stringify(redactor.json(parsed))).toBe(spoilt.replaceAll("abcdefgh", "[redacted]"));
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(spoilt)));
      }),
    );
  });

  test("follows the secrets that are loaded now", () => {
    let secrets = ["first-secret"];
    const redactor = createRedactor(() => secrets);
    redactor.text("");

    secrets = ["second-secret"];

    expect(redactor.text("first-secret second-secret")).toBe("first-secret [redacted]");
  });

  test("remembers what was acquired", () => {
    const redactor = createRedactor(() => []);

    redactor.remember("acquired-token");

    expect(redactor.text("Bearer acquired-token")).toBe("Bearer [redacted]");
  });

  test("leaves alone what is too short to be told from ordinary text", () => {
    expect(createRedactor(() => ["K", ""]).text("OK, Kelvin")).toBe("OK, Kelvin");
  });
});
