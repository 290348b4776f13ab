import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** $0.01 a unit, of at most 500: each endpoint counts them where its name says. */
function manifest(baseUrl: string): object {
  const text = { type: "string", maxLength: 500 };
  const endpoint = (unit: string, units: string, more: object = {}) => ({
    description: "Says a text in another language.",
    request: { method: "POST", path: "/translate" },
    input: { body: { required: ["text"], properties: { text } } },
    usage: { units, estimate: { units: "input:body.text", max: "input:body.text" } },
    price: { type: "PER_UNIT", amount: 0.01, per: 1, unit },
    ...more,
  });
  const free = { type: "PER_CALL", amount: 0 };
  const tier = { label: "text", selector: { label: "Text", in: "body", key: "text" } };
  const perUnit = (unit: string) => ({ type: "PER_UNIT", amount: 0.01, per: 1, unit });
  return {
    displayName: "Tongues",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/sent": endpoint("character", "input:body.text"),
      "/sent/tokens": endpoint("token", "input:body.text"),
      "/got": endpoint("character", "$.text"),
      "/got/tokens": endpoint("token", "$.tokens"),
      "/header": endpoint("character", "header:x-characters"),
      "/tier": endpoint("character", "input:body.text", {
        price: { type: "TIERED", default: free, tiers: [{ ...tier, price: perUnit("character") }] },
      }),
      "/tier/tokens": endpoint("token", "input:body.text", {
        price: { type: "TIERED", default: free, tiers: [{ ...tier, price: perUnit("token") }] },
      }),
    },
  };
}

let upstream: FakeProvider;
let daemon: TestDaemon;
beforeEach(async () => {
  upstream = await startFakeProvider();
  upstream.on("POST /translate", (call) => ({
    json: { text: call.json.text, tokens: "7" },
    headers: { "x-characters": "12" },
  }));
  daemon = await startTestDaemon({
    manifests: { tongues: manifest(upstream.url) },
    environment: { MKT_STARTING_CREDIT: "10000" },
  });
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const ask = async (path: string, endpoint: string, text: string) =>
  (await daemon.request("POST", path, { provider: "tongues", endpoint, input: { text } })).body;
const run = async (endpoint: string, text: string) => await ask("/v1/run", endpoint, text);
const quote = async (endpoint: string, text: string) => await ask("/v1/quote", endpoint, text);

describe("a text that a price counts", () => {
  test.each(["/sent", "/sent/tokens", "/tier"])("of the input is charged by its characters at %s", async (endpoint) => {
    const told = await run(endpoint, "hello");

    expect(told).toMatchObject({ billedUnits: 5, cost: { value: 0.05 } });
    expect(told.notes).toBeUndefined();
  });

  test("counts a letter beyond the first 65,536 once, as JSON Schema's maxLength does", async () => {
    expect(await run("/sent", "𐐷🎉é")).toMatchObject({ billedUnits: 3, cost: { value: 0.03 } });
    expect(await run("/sent", "🎉".repeat(500))).toMatchObject({ billedUnits: 500, cost: { value: 5 } });
  });

  test("is a text also where it looks like a number", async () => {
    expect(await run("/sent", "2026")).toMatchObject({ billedUnits: 4 });
    expect(await run("/got", "2026")).toMatchObject({ billedUnits: 4 });
  });

  test("of the answer counts alike where the price is by the character", async () => {
    expect(await run("/got", "olá")).toMatchObject({ billedUnits: 3, cost: { value: 0.03 } });
  });

  test("of the answer is the number that it says where the price is by something else", async () => {
    expect(await run("/got/tokens", "a text of more than seven")).toMatchObject({ billedUnits: 7 });
  });

  test("is the number that it says in a header, which is always a text", async () => {
    expect(await run("/header", "a text of more than twelve")).toMatchObject({ billedUnits: 12 });
  });

  test("is no quantity to a tier that counts something else than characters", async () => {
    expect(await run("/tier/tokens", "30")).toMatchObject({ code: 400, message: expect.stringContaining("body.text") });
  });

  test("is quoted as it is charged, whatever is in it", async () => {
    for (const text of someTexts()) {
      for (const endpoint of ["/sent", "/sent/tokens", "/tier"]) {
        const quoted = await quote(endpoint, text);
        const told = await run(endpoint, text);

        expect([text, told.billedUnits, told.cost.value]).toEqual([text, [...text].length, quoted.maximum.value]);
        expect(quoted.estimate).toEqual(quoted.maximum);
      }
    }
  });
});

/** Empty, blank, looking like numbers, of letters of one to four bytes, joined ones and halves of pairs. */
function someTexts(): string[] {
  const parts = ["", " ", "0", "12", "-1", "1e3", "a", "ß", "語", "𝟙", "👩‍👩‍👧", "e\u0301", "\n", "\u0000", "\ud83d"];
  return [...parts, ...parts.map((part, at) => `${part}${parts[(at * 7) % parts.length]}${part}`)];
}
