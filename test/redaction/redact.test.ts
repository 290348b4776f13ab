import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../daemon/redaction/redact.ts";
import { SPELLINGS } from "../support/spellings.ts";

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

  test("of what was acquired forgets the oldest first, and a secret that was acquired again is new", () => {
    const redactor = createRedactor(() => []);
    redactor.remember("acquired again");
    redactor.remember("acquired once");
    for (let n = 0; n < 998; n += 1) redactor.remember(`another secret ${n};`);
    redactor.remember("acquired again");
    redactor.remember("one secret more");

    expect(redactor.text("acquired again, acquired once")).toBe("[redacted], acquired once");
  });

  test("of what lies deeper than it looks takes out the whole", () => {
    const redactor = createRedactor(() => ["abcdefgh"]);
    let value: unknown = "abcdefgh";
    for (let depth = 0; depth < 1_100; depth += 1) value = [value];

    const text = JSON.stringify(redactor.json(value));

    expect(text).not.toContain("abcdefgh");
    expect(text).toContain("[redacted]");
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

const canaries = [
  `Qx7kPw+Zr/2Lm=&<>"' \u00e9Tn9vBd`,
  "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
  "AKIAIOSFODNN7EXAMPLE/bPxRfiCYEXAMPLEKEY==",
  "p&ss1!Zq9",
  "key-ünïcode-日本-😀",
  String.raw`back\slash%2Bliteral&amp;`,
] as const;

/** What is left of a spelling when enough of it is out: nothing by which the secret can be known. */
function leftOf(spelled: string, redacted: string): string {
  return [...redacted.replaceAll("[redacted]", "\n")]
    .join("")
    .split("\n")
    .filter((part) => part.length > 5 && spelled.includes(part))
    .join("|");
}

describe.each(canaries)("the secret %j", (secret) => {
  const redactor = createRedactor(() => ["another-secret-1", secret, "another-secret-2"]);

  test.each(SPELLINGS.map(([name, spell]) => [name, spell] as const))(
    "%s is taken out, and what stands around it is not",
    (_, spell) => {
      const spelled = spell(secret);

      const redacted = redactor.text(`Before, ${spelled} .after`);

      expect(redacted).toContain("[redacted]");
      expect(redacted.startsWith("Before, ")).toBe(true);
      expect(redacted.endsWith(" .after")).toBe(true);
      // The JSON around a value, an end of base64: never as much as a part of the secret.
      expect(leftOf(spelled, redacted.slice("Before, ".length, -" .after".length))).toMatch(
        /^(?:\{\\*"a\\*":\\*"|.{0,12})$/s,
      );
    },
  );
});

describe("many secrets at once", () => {
  test("are all taken out, each in a spelling of its own", () => {
    const secrets = Array.from({ length: 500 }, (_, index) => `sk_live_${index}_${"aB3+/=".repeat(4)}${index}`);
    const redactor = createRedactor(() => secrets);
    const text = secrets.map((secret, index) => SPELLINGS[index % 24]?.[1](secret)).join(" ; ");

    const redacted = redactor.text(text);

    expect(redacted.match(/\[redacted\]/g)).toHaveLength(500);
    expect(redacted).not.toMatch(/aB3|sk_live/i);
  });
});

describe("ordinary text", () => {
  test.each([
    ["a secret of four characters", ["data"], "data, database and the date"],
    ["a secret of five", ["value"], "the value of values"],
    ["no secret", [], "anything [redacted] or not"],
    ["secrets that it only resembles", ["sk_live_1234567890"], "sk_live_123456789 sk_live_ k_live_1234567890"],
  ])("stays whole beside %s", (_, secrets, text) => {
    expect(createRedactor(() => secrets).text(text)).toBe(text);
  });

  test("escapes and base64 of everything else stay as they are", () => {
    const redactor = createRedactor(() => canaries);
    const text = `a%20b &amp; \\u00e9 =3D =\r\n ${Buffer.from("anything at all, and more of it").toString("base64")}`;
    const value = { [text]: [text, { n: 1 }] };

    expect(redactor.text(text)).toBe(text);
    expect(redactor.json(value)).toBe(value);
  });
});

describe("a text that is made to take long", () => {
  const redactor = createRedactor(() => canaries);

  test("of 150,000 echoes of a secret, each escaped, has none of them left", () => {
    const ofKeys = createRedactor(() => ["Zq9!abc"]);

    const redacted = ofKeys.text("%5aq9!abc ".repeat(150_000));

    expect(redacted === "[redacted] ".repeat(150_000)).toBe(true);
  });

  test("of many words that may be base64 does not, beside one of as many that may not", () => {
    const ofKeys = createRedactor(() => ["sk_live_4eC39HqLyjWDarjtT1zdp7dc"]);
    const secondsFor = (text: string) => {
      const { user } = process.cpuUsage();
      ofKeys.text(text);
      return process.cpuUsage({ user, system: 0 }).user / 1e6;
    };
    const [base64, plain] = ["QUJDQUJDQUJDQUJD ".repeat(200_000), "QUJD QUJD QUJD Q ".repeat(200_000)];
    secondsFor(base64);

    // Nine times on a quiet machine; each word decoded and searched again would be thousands.
    expect(secondsFor(base64)).toBeLessThan(100 * secondsFor(plain));
  });

  test.each(["%", "%25", "\\", "&#", "&amp;", "=", "=3D", "\r\n", "A", "sk_live_", "\\u00", "é", "a b "])(
    "of %j again and again does not",
    (piece) => {
      const text = piece.repeat(Math.ceil(2_000_000 / piece.length));

      expect(redactor.text(text)).toBe(text);
    },
    20_000,
  );
});
