import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { localDaemonFilePath } from "../../shared/local-daemon-file.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type MktOutcome, spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A daemon that is expected to end by itself. */
function refusedDaemon(
  home: MktHome,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const freePorts = { MKT_PORT: "0", MKT_REGISTRY_PORT: "0" };
  return spawnMkt(["daemon", "--no-bundled-catalog", ...args], { home, environment: { ...freePorts, ...environment } });
}

/** What such a daemon says: one line for people, and nothing on stdout. */
function expectRefusal(ended: MktOutcome, code: number, ...words: readonly (string | RegExp)[]): void {
  expect(ended).toMatchObject({ code, stdout: "" });
  const said = ended.stderr.split("\n").filter((line) => line.startsWith("mkt daemon: "));
  expect(said).toHaveLength(1);
  for (const word of words) expect(said[0]).toMatch(word);
  expect(ended.stderr).not.toMatch(/^ +at /m);
}

async function takenPort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port: String(port), [Symbol.dispose]: () => void server.close() };
}

describe.concurrent("a daemon refuses to start, with 78,", () => {
  test("on a port that is taken, and names the flag", async () => {
    using home = mktHome();
    using taken = await takenPort();

    const ended = await refusedDaemon(home, ["--port", taken.port]);

    expectRefusal(ended, 78, new RegExp(`Port ${taken.port} .*is in use`), "--port", "MKT_PORT");
  });

  test("on a registry port that is taken, and names that flag", async () => {
    using home = mktHome();
    using taken = await takenPort();

    const ended = await refusedDaemon(home, ["--registry-port", taken.port]);

    expectRefusal(ended, 78, new RegExp(`Port ${taken.port} .*is in use`), "--registry-port", "MKT_REGISTRY_PORT");
  });

  test("on one port for both", async () => {
    using home = mktHome();
    using taken = await takenPort();
    const { port } = taken;
    taken[Symbol.dispose]();

    const ended = await refusedDaemon(home, ["--port", port, "--registry-port", port]);

    expectRefusal(ended, 78, "--registry-port", port);
  });

  test.each<[string, string[], Record<string, string>, (string | RegExp)[]]>([
    ["a port that is none", ["--port", "70000"], {}, ["--port", "MKT_PORT", '"70000"']],
    ["a port of words, from the environment", [], { MKT_REGISTRY_PORT: "x" }, ["--registry-port", '"x"']],
    [
      "a log level that does not exist",
      ["--log-level", "loud"],
      {},
      ["--log-level", "MKT_LOG_LEVEL", "debug", '"loud"'],
    ],
    ["a starting credit that is none", [], { MKT_STARTING_CREDIT: "-5" }, ["MKT_STARTING_CREDIT", "unlimited", '"-5"']],
    ["a catalog folder that is not there", ["--catalog", "nowhere"], {}, ["nowhere", "--catalog", "MKT_CATALOGS"]],
    [
      "a trusted catalog folder that is not there",
      [],
      { MKT_TRUSTED_CATALOGS: "gone" },
      ["gone", "--trusted-catalog", "MKT_TRUSTED_CATALOGS"],
    ],
    ["0.0.0.0 without --allow-remote", ["--host", "0.0.0.0"], {}, ["--host 0.0.0.0", "--allow-remote"]],
    ["every address, from the environment", [], { MKT_HOST: "::" }, ["MKT_HOST", "--allow-remote"]],
    [
      "an address of another machine",
      ["--host", "198.51.100.1", "--allow-remote"],
      {},
      ["198.51.100.1", "--host", "MKT_HOST"],
    ],
    ["a public address that is none", ["--public-url", "mkt.example"], {}, ["--public-url", "MKT_PUBLIC_URL"]],
    [
      "a switch that is neither on nor off",
      [],
      { MKT_MIRROR_PROVIDER_STATUS: "maybe" },
      ["MKT_MIRROR_PROVIDER_STATUS"],
    ],
    ["a floor above what scores reach", [], { MKT_DISCOVER_FLOOR: "3" }, ["MKT_DISCOVER_FLOOR", '"3"']],
    ["a body limit of nothing", [], { MKT_MAX_BODY_BYTES: "1" }, ["MKT_MAX_BODY_BYTES", '"1"']],
    ["a body limit above the ceiling", [], { MKT_MAX_BODY_BYTES: "16777217" }, ["MKT_MAX_BODY_BYTES", "16 MiB"]],
  ])("%s, and names the setting", async (_, args, environment, words) => {
    using home = mktHome();

    const ended = await refusedDaemon(home, args, environment);

    expectRefusal(ended, 78, ...words);
  });

  test("a data folder that others may read, and says how to close it", async () => {
    using home = mktHome();
    mkdirSync(home.dataDir);
    chmodSync(home.dataDir, 0o755);

    const ended = await refusedDaemon(home);

    expectRefusal(ended, 78, home.dataDir, "0755", `chmod 700 '${home.dataDir}'`);
    expect(readdirSync(home.dataDir)).toEqual([]);
  });

  test("a data folder that is a file", async () => {
    using home = mktHome();
    writeFileSync(home.dataDir, "");

    expectRefusal(await refusedDaemon(home), 78, home.dataDir, "--data-dir");
  });

  test("a data folder below a file", async () => {
    using home = mktHome();
    writeFileSync(join(home.path, "file"), "");

    const ended = await refusedDaemon(home, ["--data-dir", join(home.path, "file", "data")]);

    expectRefusal(ended, 78, join(home.path, "file", "data"), "not a folder");
  });

  test("a data folder where none can be made", async () => {
    using home = mktHome();

    expectRefusal(await refusedDaemon(home, ["--data-dir", "/proc/nope"]), 78, "/proc/nope", "--data-dir");
  });

  test("a configuration folder that is a file", async () => {
    using home = mktHome();
    writeFileSync(home.configDir, "");

    expectRefusal(await refusedDaemon(home), 78, home.configDir, "MKT_CONFIG_DIR");
  });

  test("a key file that is not one, and says how to a new key", async () => {
    using home = mktHome();
    await using first = await spawnDaemon({ home });
    await first.kill();
    const file = localDaemonFilePath(home.configDir, home.dataDir);
    writeFileSync(file, "{");

    expectRefusal(await refusedDaemon(home), 78, file, "mkt daemon reset-owner-key");
  });
});

test.concurrent.each(["--trusted-catalog", "--catalog", "--data-dir", "--allow-private-host"])(
  "an empty %s is a mistake, and not the current folder or nothing",
  async (flag) => {
    using home = mktHome();

    const ended = await refusedDaemon(home, [flag, ""]);

    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("It must not be empty");
  },
);

describe.concurrent("a daemon refuses a data folder", () => {
  test("that another one has, with 75 and the other's pid", async () => {
    await using first = await spawnDaemon();

    const ended = await refusedDaemon(first.home);

    expectRefusal(
      ended,
      75,
      `process ${first.pid} is running on it. Stop that one first, or name another folder with --data-dir. ` +
        `Next: mkt daemon stop --data-dir ${first.home.dataDir}`,
    );
    expect(ended.stderr).not.toMatch(/\.\.|\bmkt daemon stop\b.*\bmkt daemon stop\b/);
    expect((await first.request("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("whose journal is damaged, with 65, the file and the place in it, and changes nothing", async () => {
    using home = mktHome();
    const file = await journalOfSomeKeys(home);
    const bytes = readFileSync(file);
    const written = bytes.toString("latin1").trimEnd().length;
    const offset = bytes.indexOf("\n", Math.floor(written / 4)) + 1;
    bytes[offset + 20] = bytes[offset + 20] === 0x41 ? 0x42 : 0x41;
    writeFileSync(file, bytes);

    const ended = await refusedDaemon(home);

    expectRefusal(ended, 65, file, `at byte ${offset}`, "backup");
    expect(readFileSync(file)).toEqual(bytes);
  });

  test("that a later version of mkt wrote, with 65", async () => {
    using home = mktHome();
    mkdirSync(home.dataDir, { mode: 0o700 });
    writeFileSync(join(home.dataDir, "FORMAT"), '{"format":99}\n', { mode: 0o600 });

    expectRefusal(await refusedDaemon(home), 65, join(home.dataDir, "FORMAT"), '{"format":99}');
  });

  test("whose settings cannot be read, with 65 and the file", async () => {
    using home = mktHome();
    await using first = await spawnDaemon({ home });
    await first.kill();
    writeFileSync(join(home.dataDir, "docs", "settings.json"), '{"mirrorProviderStatus":"maybe"}\n');

    expectRefusal(await refusedDaemon(home), 65, join(home.dataDir, "docs", "settings.json"), "mirrorProviderStatus");
  });
});

test("half a line at the journal's end, as a crash leaves it, is no damage", async () => {
  using home = mktHome();
  await using first = await spawnDaemon({ home });
  await first.kill("SIGKILL");
  const log = join(home.dataDir, "log");
  appendFileSync(join(log, readdirSync(log).at(-1) ?? ""), '{"s":99,"b":');

  await using second = await spawnDaemon({ home });

  expect((await second.request("GET", "/v1/auth/whoami")).status).toBe(200);
});

describe("a catalog file that is wrong", () => {
  test("takes no other down, and is named in the log and in `mkt catalog list`", async () => {
    using home = mktHome();
    const dir = home.writeCatalog("mine", {
      good: {
        http: { baseUrl: "https://good.example" },
        endpoints: {
          "/x": {
            description: "An endpoint of a file that is right.",
            request: { method: "GET", path: "/x" },
            price: { type: "PER_CALL", amount: 0 },
          },
        },
      },
    });
    const typo = join(dir, "typo.yaml");
    writeFileSync(typo, "mkt: 1\nprovider: typo\nhttp: {basUrl: https://typo.example}\nendpoints: {}\n");

    await using daemon = await spawnDaemon({ home, args: ["--catalog", dir] });
    const list = await spawnMkt(["catalog", "list"], { home });
    const asJson = await spawnMkt(["catalog", "list", "--json"], { home });

    expect(daemon.ready.endpoints).toBe(1);
    expect(daemon.stderr()).toContain(typo);
    expect(daemon.stderr()).toContain("basUrl");
    expect(list).toMatchObject({ code: 0, stderr: expect.stringContaining(typo) });
    expect(JSON.parse(list.stdout)).toMatchObject({ provider: "good", available: true });
    expect(JSON.parse(asJson.stdout).errors).toContainEqual(
      expect.objectContaining({ file: typo, message: expect.stringContaining("basUrl") }),
    );
  });
});

/** A journal with a few batches in one segment, which the next start reads again; gives that segment. */
async function journalOfSomeKeys(home: MktHome): Promise<string> {
  await using daemon = await spawnDaemon({ home });
  for (const label of ["a", "b", "c", "d", "e", "f"]) await daemon.request("POST", "/v1/api-keys", { label });
  await daemon.kill("SIGKILL");
  const log = join(home.dataDir, "log");
  return join(log, readdirSync(log)[0] ?? "");
}
