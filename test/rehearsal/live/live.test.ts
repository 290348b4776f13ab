import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../../bin/daemon-commands.ts";
import { openLiveTest } from "../../../daemon/offline/open-live-test.ts";
import { testLive } from "../../../daemon/rehearsal/live/live-test.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { type CliSurroundings, runMkt } from "../../support/run-cli.ts";

const hostOf = ({ url }: FakeProvider) => new URL(url).host;

/** A file with a keyless and a keyed endpoint, neither of them tried yet. */
function writeManifest(home: MktHome, vendor: FakeProvider): string {
  const dir = join(home.path, "providers");
  mkdirSync(dir);
  const file = join(dir, "shop.yaml");
  writeFileSync(
    file,
    `# My shop.
mkt: 1
provider: shop
secrets:
  key: { env: SHOP_KEY }
http:
  baseUrl: ${vendor.url}
  allowPrivateNetwork: true
  auth: { type: apiKey, in: header, name: X-Key, value: "\${secret.key}" }
endpoints:
  /items: # all of them
    request: { method: GET }
    verified: false # written from the documentation
    output: { select: $.items }
    usage: { count: $.items }
    price: { type: PER_CALL, amount: 0.002 }
    examples:
      - name: all
        input: {}
        expect: { count: 1 }
  /items/{id}:
    request: { method: GET }
    verified: false
    input: { pathParams: { required: [id], properties: { id: { type: string } } } }
    price: { type: PER_CALL, amount: 0.002 }
    examples:
      - { name: one, input: { id: "1" } }
      - { name: none, input: { id: "9" }, expect: { httpStatus: 404 } }
`,
  );
  return file;
}

function grant(home: MktHome, vendor: FakeProvider): void {
  mkdirSync(join(home.dataDir, "docs"), { recursive: true });
  const given = {
    provider: "shop",
    origin: vendor.url,
    variables: ["SHOP_KEY"],
    privateHosts: [hostOf(vendor)],
    grantedAt: "2026-01-01T00:00:00.000Z",
  };
  writeFileSync(join(home.dataDir, "docs", "grants.json"), JSON.stringify({ grants: [given] }));
}

async function mkt(home: MktHome, argv: readonly string[], { env, ...others }: CliSurroundings = {}) {
  return await runMkt(argv, {
    env: { ...home.environment, ...env },
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 }),
    ...others,
  });
}

describe("trying examples at their real provider", () => {
  test("says what would be called and at which cost, and calls nobody where nobody can say yes", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    const file = writeManifest(home, vendor);
    grant(home, vendor);

    const { exitCode, stderr } = await mkt(home, ["catalog", "test", "--live", file], {
      env: { SHOP_KEY: "k-123456" },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(`shop/items/{id} at ${vendor.url}, 2 times`);
    expect(stderr).toContain("3 examples would be tried at real providers, and cost $0.006 at most");
    expect(vendor.calls).toEqual([]);
  });

  test("turns the mark of endpoints whose examples all went well, and keeps every other byte", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /items", { json: { items: [{ id: 1 }, { id: 2 }] } });
    vendor.on("GET /items/1", { json: { id: 1 } });
    const file = writeManifest(home, vendor);
    const before = readFileSync(file, "utf8");
    grant(home, vendor);

    const { exitCode, stdout } = await mkt(home, ["catalog", "test", "--live", "--yes", file], {
      env: { SHOP_KEY: "k-123456" },
    });

    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain("3 examples tried, 3 passed, 0 failed.");
    expect(vendor.calls.every(({ headers }) => headers["x-key"] === "k-123456")).toBe(true);
    expect(readFileSync(file, "utf8")).toBe(before.replace(/ {4}verified: false.*\n/g, ""));
  });

  test("leaves the mark where an example failed, exit code 1", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /items", { json: { results: [] } });
    const file = writeManifest(home, vendor);
    const before = readFileSync(file, "utf8");
    grant(home, vendor);

    const { exitCode, stdout } = await mkt(home, ["catalog", "test", "--live", "--yes", file, "--endpoint", "/items"], {
      env: { SHOP_KEY: "k-123456" },
    });

    expect(exitCode).toBe(1);
    expect(stdout).toContain("usage.count: expected something to count at $.items, came an object with results");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("records what came with --record, without secrets, and the rehearsal of it passes", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /items", { json: { items: [{ id: 1 }, { id: 2 }], you: "k-123456" } });
    vendor.on("GET /items/1", { json: { id: 1 } });
    const file = writeManifest(home, vendor);
    grant(home, vendor);

    const live = await mkt(home, ["catalog", "test", "--live", "--record", "--yes", file], {
      env: { SHOP_KEY: "k-123456" },
    });
    const rehearsed = await mkt(home, ["catalog", "test", file, "--json"]);

    expect(live.exitCode, live.stdout).toBe(0);
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/source: live \d{4}-\d\d-\d\d/);
    expect(text).not.toContain("k-123456");
    expect(text).toContain("count: 2");
    expect(text.startsWith("# My shop.\n")).toBe(true);
    expect(JSON.parse(rehearsed.stdout)).toMatchObject({ exitCode: 0, examples: [{ outcome: "passed" }, {}, {}] });
  });

  test.each([
    ["a name that no catalog file may have", '{"items": [{"__proto__": {"admin": true}}]}'],
    ["more levels than one may have", `{"items": [${"[".repeat(80)}${"]".repeat(80)}]}`],
  ])("an answer with %s is not recorded: its file would not be served any more", async (_, text) => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /items", { text, headers: { "content-type": "application/json" } });
    vendor.on("GET /items/1", { json: { id: 1 } });
    const file = writeManifest(home, vendor);
    grant(home, vendor);
    const before = readFileSync(file, "utf8");

    const { stdout } = await mkt(home, ["catalog", "test", "--live", "--record", "--yes", file], {
      env: { SHOP_KEY: "k-123456" },
    });

    expect(stdout).toContain("nothing is kept, because a catalog file may not hold this answer");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("a file without its grant is left out and the command that grants is told", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    const file = writeManifest(home, vendor);

    const { exitCode, stdout } = await mkt(home, ["catalog", "test", "--live", "--yes", file], {
      env: { SHOP_KEY: "k-123456" },
    });

    expect(exitCode).toBe(1);
    expect(stdout).toContain('provider "shop" needs a grant: mkt catalog grant shop');
    expect(vendor.calls).toEqual([]);
  });

  test("a secret that is set nowhere is named", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    const file = writeManifest(home, vendor);
    grant(home, vendor);

    const { stdout } = await mkt(home, ["catalog", "test", "--live", "--yes", file]);

    expect(stdout).toContain("set SHOP_KEY");
  });

  test("what came with the program is tried and not changed", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /items", { json: { items: [{ id: 1 }] } });
    const file = writeManifest(home, vendor);
    const before = readFileSync(file, "utf8");
    grant(home, vendor);
    const environment = { ...home.environment, SHOP_KEY: "k-123456" };
    const settings = { environment, dataDir: home.dataDir, allowPrivateHosts: undefined, endpoint: "/items" };

    const { plan, ...parts } = await openLiveTest({ paths: [file], defaults: [] }, settings);
    const report = await testLive(plan, { ...parts, record: true, untouched: [dirname(file)] });

    expect(report).toMatchObject({ exitCode: 0, kept: [{ verified: [], recorded: 0 }] });
    expect(report.kept[0]?.notes[0]).toContain("came with the program");
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});
