import type { LookupAddress, LookupAllOptions } from "node:dns";
import fc from "fast-check";
import { Agent, request } from "undici";
import { describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import { createAddressGuard, namesHost } from "../../daemon/providers/sending/address-guard.ts";
import { isPublicAddress } from "../../daemon/providers/sending/private-addresses.ts";
import type { NoAnswerError, ProviderAnswer } from "../../daemon/providers/protocol/provider.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { openHttpProvider, type OpenProviderOptions } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };

function card(baseUrl: string, { http = "", call = "path: /x" } = {}): CatalogEntry {
  return entryOf(`
mkt: 1
provider: stranger
http: {baseUrl: "${baseUrl}", retry: {attempts: 1}, ${http}}
endpoints:
  /x:
    request: {method: GET, ${call}}
    price: {type: PER_CALL, amount: 0}
`);
}

async function failureOf(entry: CatalogEntry, hosts: readonly string[] = [], options: OpenProviderOptions = {}) {
  await using provider = openHttpProvider(hosts, options);
  return await provider.start({ runId, entry, input: {} }, anyTime).then(
    (answer) => Promise.reject(new Error(`it was answered: ${JSON.stringify(answer)}`)),
    (error: unknown) => error as NoAnswerError,
  );
}

const LOOPBACK_SPELLINGS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "0x7f.1",
  "0x7f000001",
  "0177.0.0.1",
  "2130706433",
  "127.0.0.1.",
  "①②⑦.0.0.1",
  "127。0。0。1",
  "0",
  "0.0.0.0",
  "127.255.255.254",
  "[::1]",
  "[::]",
  "[::ffff:7f00:1]",
  "[::ffff:127.0.0.1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[64:ff9b:1:7f:0:100::]",
  "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
  "[::127.0.0.1]",
  "[100:0:0:1::1]",
  "[4000::1]",
  "[1000::7f00:1]",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "app.localhost",
];

describe("a stranger's file cannot have us call ourselves", () => {
  test.each(LOOPBACK_SPELLINGS)("as %s, whatever the scheme", async (host) => {
    await using canary = await startFakeProvider();

    const secure = await failureOf(card(`https://${host}:${canary.port}`));
    const plain = await failureOf(card(`http://${host}:${canary.port}`));
    const wishful = await failureOf(card(`http://${host}:${canary.port}`, { http: "allowPrivateNetwork: true" }));

    for (const failure of [secure, plain, wishful]) {
      expect(failure).toMatchObject({ name: "NoAnswerError", source: "mkt", maybeExecuted: false });
    }
    expect(secure.message).toContain("--allow-private-host");
    expect(canary.accepted()).toBe(0);
  });

  test("by an address out of an answer", async () => {
    await using canary = await startFakeProvider();
    const entry = card("https://api.vendor.example", {
      call: `url: "https://127.0.0.1:${canary.port}/x"`,
      http: "allowHosts: ['127.0.0.1']",
    });

    await failureOf(entry);

    expect(canary.accepted()).toBe(0);
  });

  test("by a token address", async () => {
    await using canary = await startFakeProvider();
    const auth = `auth: {type: clientCredentials, tokenUrl: "http://127.0.0.1:${canary.port}/t", clientId: a, clientSecret: b}`;

    const failure = await failureOf(card("https://api.vendor.example", { http: auth }));

    expect(failure).toMatchObject({ maybeExecuted: false });
    expect(canary.accepted()).toBe(0);
  });
});

describe("a private host", () => {
  test.each([
    ["named by the operator and wanted by the file", ["127.0.0.1"], true, true],
    ["named with its port", ["127.0.0.1:PORT"], true, true],
    ["named with another port", ["127.0.0.1:1"], true, false],
    ["named by the operator only", ["127.0.0.1"], false, false],
    ["wanted by the file only", [], true, false],
    ["when another one is named", ["10.0.0.1"], true, false],
  ])("%s: called %s", async (_, hosts, wanted, called) => {
    await using canary = await startFakeProvider();
    await using provider = openHttpProvider(hosts.map((host) => host.replace("PORT", String(canary.port))));
    canary.on("GET /x", { json: 1 });
    const entry = card(canary.url, { http: `allowPrivateNetwork: ${wanted}` });

    const outcome = await provider.start({ runId, entry, input: {} }, anyTime).catch(() => undefined);

    expect((outcome as ProviderAnswer | undefined)?.success === true).toBe(called);
    expect(canary.accepted() > 0).toBe(called);
  });

  test.each(["::ffff:127.0.0.1", "[::ffff:7f00:1]", "0:0:0:0:0:FFFF:127.0.0.1"])(
    "named as %s is called, however the file spells it",
    async (named) => {
      await using canary = await startFakeProvider();
      await using provider = openHttpProvider([named]);
      canary.on("GET /x", { json: 1 });
      const entry = card(`http://[::ffff:127.0.0.1]:${canary.port}`, { http: "allowPrivateNetwork: true" });

      const outcome = await provider.start({ runId, entry, input: {} }, anyTime);

      expect(outcome).toMatchObject({ kind: "answer", success: true });
    },
  );

  test("that is granted to one provider is not open to another", async () => {
    await using canary = await startFakeProvider();
    const granted = ({ provider }: { readonly provider: string }) => (provider === "friend" ? [canary.host] : []);

    const failure = await failureOf(card(canary.url, { http: "allowPrivateNetwork: true" }), [], {
      privateHostsGranted: granted,
    });

    expect(failure).toMatchObject({ source: "mkt", maybeExecuted: false });
    expect(canary.accepted()).toBe(0);
  });

  test.each([
    [["router.lan"], "Router.LAN.", "80", true],
    [["router.lan:8080"], "router.lan", "8080", true],
    [["router.lan:8080"], "router.lan", "80", false],
    [["[::1]:8080"], "[::1]", "8080", true],
    [["::1"], "[::1]", "1", true],
    [["::ffff:0:127.0.0.1"], "[::ffff:0:7f00:1]", "443", true],
    [["[64:FF9B:1:0:0:0:7F00:1]:8443"], "[64:ff9b:1::7f00:1]", "8443", true],
    [["[64:FF9B:1:0:0:0:7F00:1]:8443"], "[64:ff9b:1::7f00:1]", "443", false],
    [["fd12:0::0:1"], "[fd12::1]", "443", true],
    [["fd12::2"], "[fd12::1]", "443", false],
    [["outer.lan"], "router.lan", "80", false],
    [[""], "router.lan", "80", false],
  ])("list %j names %s:%s: %s", (list, host, port, expected) => {
    expect(namesHost(list, host, port)).toBe(expected);
  });
});

describe("a name", () => {
  const addresses = (...found: string[]) =>
    found.map((address): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 }));

  async function fetchBy(lookups: readonly (readonly LookupAddress[])[], port: number): Promise<unknown> {
    let asked = 0;
    const lookup = (_: string, __: LookupAllOptions, callback: (error: null, found: LookupAddress[]) => void) => {
      callback(null, [...(lookups[Math.min(asked++, lookups.length - 1)] ?? [])]);
    };
    const guard = createAddressGuard({ isOpened: () => false, connectTimeoutMs: 500, lookup: lookup as never });
    const agent = new Agent({ connect: guard.connector, pipelining: 0 });
    try {
      return await request(`http://name.example:${port}/`, { dispatcher: agent }).catch((error: unknown) => error);
    } finally {
      await agent.destroy();
    }
  }

  test.each([
    ["a private address", addresses("127.0.0.1")],
    ["a private address among public ones", addresses("93.184.216.34", "127.0.0.1")],
    ["a mapped private address", addresses("::ffff:127.0.0.1")],
    ["the cloud's metadata service", addresses("169.254.169.254")],
    ["no address at all", []],
  ])("that resolves to %s is not called", async (_, found) => {
    await using canary = await startFakeProvider();

    const outcome = await fetchBy([found], canary.port);

    expect(outcome).toBeInstanceOf(Error);
    expect(canary.accepted()).toBe(0);
  });

  test("that changes its answer between two calls is checked at each of them", async () => {
    await using canary = await startFakeProvider();

    const outcomes = [];
    for (const found of [addresses("192.0.2.1"), addresses("127.0.0.1")])
      outcomes.push(await fetchBy([found], canary.port));

    expect(outcomes.every((outcome) => outcome instanceof Error)).toBe(true);
    expect(canary.accepted()).toBe(0);
  });
});

describe("an address", () => {
  test.each([
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.100.100.200",
    "169.254.169.254",
    "0.1.2.3",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "192.0.0.192",
    "fd00:ec2::254",
    "fc00::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "2001:db8::1",
    "2001::1",
    "2001:2::1",
    "2001:20::1",
    "2001:1ff:ffff::1",
    "2002:101:101::1",
    "2620:4f:8000::1",
    "3fff::1",
    "3fff:fff:ffff::1",
    "::ffff:0:127.0.0.1",
    "::ffff:0:1.1.1.1",
    "64:ff9b:1::101:101",
    "64:ff9b:2::101:101",
    "64:ff9b::1:101:101",
    "100::1",
    "100:0:0:1::1",
    "5f00::1",
    "1fff:ffff::1",
    "4000::1",
    "e000::1",
    "fdff::1",
    "192.0.0.9",
    "192.31.196.1",
    "192.52.193.1",
    "192.175.48.1",
    "192.88.99.2",
    "203.0.113.7",
    "198.51.100.7",
    "192.0.2.7",
    "198.19.255.255",
    "240.0.0.1",
    "not an address",
    "",
  ])("%s is private", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "93.184.216.34",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7:ffff::1",
    "2003::1",
    "2a00:1450:4001:82a::200e",
    "3ffe:ffff::1",
    "198.20.0.1",
    "192.0.1.1",
    "223.255.255.255",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("any IPv6 address", () => {
  /** The registries once more, by arithmetic: prefix and length. */
  const special: readonly (readonly [bigint, bigint])[] = [
    [0x2001_0000n << 96n, 23n],
    [0x2001_0db8n << 96n, 32n],
    [0x2002n << 112n, 16n],
    [0x2620_004f_8000n << 80n, 48n],
    [0x3fffn << 112n, 20n],
  ];
  const lies = (address: bigint, [prefix, length]: readonly [bigint, bigint]) =>
    address >> (128n - length) === prefix >> (128n - length);
  const isUnicast = (address: bigint) => address >> 125n === 1n && !special.some((block) => lies(address, block));
  const dotted = (v4: bigint) => [24n, 16n, 8n, 0n].map((shift) => (v4 >> shift) & 255n).join(".");
  const low32 = (1n << 32n) - 1n;

  const anywhere = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
  const prefixes = [
    ...special,
    [1n << 125n, 3n],
    [0n, 96n],
    [0xffffn << 32n, 96n],
    [0xffff_0000n << 32n, 96n],
    [0x64_ff9bn << 96n, 96n],
    [0x64_ff9b_0001n << 80n, 48n],
    [0x100n << 112n, 64n],
    [0x5f00n << 112n, 16n],
    [0xfc00n << 112n, 7n],
    [0xfe80n << 112n, 10n],
    [0xff00n << 112n, 8n],
  ] as const;
  const near = fc.tuple(fc.constantFrom(...prefixes), anywhere).map(([[prefix, length], more]) => {
    return prefix | (more & ((1n << (128n - length)) - 1n));
  });

  const groupsOf = (address: bigint) =>
    Array.from({ length: 8 }, (_, at) => ((address >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  const spellings: readonly ((address: bigint) => string)[] = [
    (address) => groupsOf(address).join(":"),
    (address) => groupsOf(address).join(":").toUpperCase(),
    (address) =>
      groupsOf(address)
        .map((group) => group.padStart(4, "0"))
        .join(":"),
    (address) => `${groupsOf(address).slice(0, 6).join(":")}:${dotted(address & low32)}`,
    (address) => new URL(`http://[${groupsOf(address).join(":")}]`).hostname.slice(1, -1),
  ];

  test("is public only inside 2000::/3 and outside the special registries, however it is spelled", () => {
    fc.assert(
      fc.property(fc.oneof(anywhere, near), fc.constantFrom(...spellings), (address, spell) => {
        const wraps = lies(address, [0xffffn << 32n, 96n]) || lies(address, [0x64_ff9bn << 96n, 96n]);
        const expected = wraps ? isPublicAddress(dotted(address & low32)) : isUnicast(address);

        expect(isPublicAddress(spell(address))).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("%s to a canary is the provider's answer and never followed", async (status) => {
    await using vendor = await startFakeProvider();
    await using canary = await startFakeProvider();
    await using provider = openHttpProvider(["127.0.0.1"], { secrets: { key: "canary-secret" } });
    vendor.on("GET /x", { status, headers: { location: `${canary.url}/steal` } });
    const http = 'allowPrivateNetwork: true, auth: {type: apiKey, in: header, name: x-api-key, value: "${secret.key}"}';

    const answer = await provider.start({ runId, entry: card(vendor.url, { http }), input: {} }, anyTime);

    expect(answer).toMatchObject({ kind: "answer", httpStatus: status, success: false, output: null });
    expect(canary.accepted()).toBe(0);
  });
});
