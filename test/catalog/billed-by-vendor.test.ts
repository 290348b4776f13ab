import { afterAll, beforeAll, expect, test } from "vitest";
import { PublicPrice } from "../../shared/contract/price.ts";
import { call } from "../mcp/call.ts";
import { connectOverStdio } from "../mcp/connect-mcp.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** Routes that their provider bills on the operator's key, and a route that is free. */
let vendor: FakeProvider;
let daemon: TestDaemon;
let env: Record<string, string>;

const words = "billed by Acme Maps on your key";

beforeAll(async () => {
  vendor = await startFakeProvider();
  vendor.on("GET /*", { json: { metres: 1200 } });
  const endpoint = (what: string, price: object) => ({
    displayName: `Cycling ${what}`,
    description: `The cycling ${what} between two villages, with its length in metres.`,
    tags: ["cycling"],
    request: { method: "GET" },
    price,
  });
  const http = { baseUrl: vendor.url, allowPrivateNetwork: true };
  daemon = await startTestDaemon({
    manifests: {
      "acme-maps": {
        displayName: "Acme Maps",
        description: "Cycling routes.",
        secrets: { key: { env: "ACME_KEY" } },
        http: { ...http, auth: { type: "bearer", token: "${secret.key}" } },
        endpoints: { "/cycling": endpoint("route", { type: "FREE", billedByVendor: true }) },
      },
      openmaps: {
        displayName: "Open Maps",
        description: "Cycling routes.",
        http,
        endpoints: { "/cycling": endpoint("route", { type: "FREE" }) },
      },
      pricedmaps: {
        displayName: "Priced Maps",
        markup: { fixed: 0.01 },
        http,
        endpoints: { "/cycling": endpoint("route", { type: "FREE", billedByVendor: true }) },
      },
    },
    environment: { ACME_KEY: "k-1" },
    allowPrivateHosts: [vendor.host],
  });
  env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const q = "cycling route between two villages";

test("what the provider bills is PER_CALL with amount 0 and says who bills, to clients old and new", async () => {
  const inspected = await daemon.request("POST", "/v1/inspect", { provider: "acme-maps", endpoint: "/cycling" });
  const found = await daemon.request("POST", "/v1/discover", { q, provider: ["acme-maps"] });
  const ran = await daemon.request("POST", "/v1/run", { provider: "acme-maps", endpoint: "/cycling" });

  const price = { type: "PER_CALL", amount: { value: 0, currency: "USD" }, billedByVendor: true };
  expect(inspected.body.price).toEqual(price);
  expect(PublicPrice.parse(inspected.body.price)).toEqual(price);
  expect(found.body.results[0].price).toEqual(price);
  expect(ran.body.price).toEqual({ type: "PER_CALL", amount: 0, currency: "USD", detail: price });
  expect(ran.body.cost.value).toBe(0);
});

test.each([
  ["inspect", ["inspect", "acme-maps/cycling"]],
  ["discover", ["discover", q, "--provider", "acme-maps"]],
  ["quote", ["quote", "acme-maps/cycling"]],
  ["the end of a run", ["run", "acme-maps/cycling"]],
])("a person reads who bills in %s, and never that it is free", async (_, argv) => {
  for (const tty of [true, false]) {
    const { stdout, stderr, exitCode } = await runMkt(argv, { env, tty, columns: 120 });

    expect(exitCode).toBe(0);
    const shown = tty ? `${stdout}${stderr}` : stderr;
    if (tty || argv[0] === "run" || argv[0] === "quote")
      expect(shown).toMatch(/billed by (Acme Maps|acme-maps) on your key/);
    expect(shown).not.toMatch(/\bfree\b|\$0\/call/);
  }
});

test("an agent reads who bills from discover, inspect, quote and run", async () => {
  await using mcp = await connectOverStdio({ env });
  const target = { provider: "acme-maps", endpoint: "/cycling" };

  const found = await call(mcp.client, "discover", { query: q, provider: ["acme-maps"] });
  const inspected = await call(mcp.client, "inspect", target);
  const quoted = await call(mcp.client, "quote", target);
  const ran = await call(mcp.client, "run", target);

  expect(found.text).toContain(words);
  expect(inspected.text).toContain(`Price: ${words}.`);
  expect(quoted.text).toMatch(/billed by (Acme Maps|acme-maps) on your key/);
  expect(ran.text).toMatch(/billed by (Acme Maps|acme-maps) on your key/);
});

test.each([["0"], ["0.05"]])("--max-price %s finds what is free, and nothing that its provider bills", async (most) => {
  const { stdout } = await runMkt(["discover", q, "--max-price", most, "--json"], { env });

  const providers = JSON.parse(stdout).results.map(({ provider }: { provider: string }) => provider);
  expect(providers).toContain("openmaps");
  expect(providers).not.toContain("acme-maps");
});

test("a markup makes it a price like any other", async () => {
  const { body } = await daemon.request("POST", "/v1/inspect", { provider: "pricedmaps", endpoint: "/cycling" });

  expect(body.price).toEqual({ type: "PER_CALL", amount: { value: 0.01, currency: "USD" } });
});
