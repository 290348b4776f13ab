import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { type SpawnedDaemon, spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** docs/command-line.md, "Errors" with the real daemon: what happened, why, and the command that goes on from there. */

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** How a command fails at the local daemon, as `--json` tells it. */
async function failureAt(
  { home }: Pick<SpawnedDaemon, "home">,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const { code, stderr } = await spawnMkt([...words, "--json"], { home, environment });
  const { message, next } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "") as Record<string, string>;
  return { exitCode: code, message, next };
}

describe.concurrent("a command that fails names the one that mends it:", () => {
  test("a daemon that was killed is started again", async () => {
    await using daemon = await spawnDaemon();
    await daemon.kill("SIGKILL");

    const told = await failureAt(daemon, ["runs"]);

    expect(told.exitCode).toBe(9);
    expect(told.message).toContain(daemon.home.dataDir);
    expect(told.next).toBe("mkt daemon start");
  });

  test("a wrong key is taken away where the local daemon has one of its own", async () => {
    await using daemon = await spawnDaemon();
    const keyFile = join(daemon.home.path, "key");
    writeFileSync(keyFile, "mkt_live_wrong");

    const ofEnvironment = await failureAt(daemon, ["whoami"], { MKT_API_KEY: "mkt_live_wrong" });
    const ofFile = await failureAt(daemon, ["whoami", "--key-file", keyFile]);

    expect(ofEnvironment).toMatchObject({ exitCode: 4, next: "unset MKT_API_KEY" });
    expect(ofEnvironment.message).toContain("(the key came from MKT_API_KEY)");
    expect(ofFile).toMatchObject({ exitCode: 4, next: "mkt whoami" });
    expect(ofFile.message).toContain(`(the key came from --key-file ${keyFile})`);
  });

  test("who is not the operator is told so, as far as that can be told", async () => {
    await using daemon = await spawnDaemon();
    const { body } = await daemon.request("POST", "/v1/api-keys", { label: "guest" });
    const guest = { MKT_API_KEY: String(body.key) };

    const credit = await failureAt(daemon, ["wallet", "credit", "1"], guest);
    const list = await failureAt(daemon, ["catalog", "list"], guest);

    for (const told of [credit, list]) {
      expect(told).toMatchObject({ exitCode: 8, next: "mkt whoami" });
      expect(told.message).toContain("your key is not the operator's");
    }
  });

  test("an empty wallet is credited, the right one", async () => {
    await using daemon = await spawnDaemon({ manifests: { weather: weatherManifest("http://127.0.0.1:9") } });
    const { body: acme } = await daemon.request("POST", "/v1/admin/workspaces", { name: "Acme", slug: "acme" });
    const { body: key } = await daemon.request("POST", `/v1/admin/workspaces/${acme.workspaceId}/api-keys`, {
      label: "first",
    });

    const told = await failureAt(daemon, ["run", "weather/now", "city=Lisbon"], { MKT_API_KEY: String(key.key) });

    expect(told).toMatchObject({ exitCode: 7, next: "mkt wallet credit 10 --workspace acme" });
  });

  test("a provider without its grant is granted, and one without its secret says where to set it", async () => {
    using home = mktHome();
    const secrets = { key: { env: "SHOP_KEY" } };
    const file = { ...weatherManifest("https://weather.example"), secrets };
    const strangers = home.writeCatalog("strangers", { weather: file });
    await using daemon = await spawnDaemon({ home, args: ["--catalog", strangers] });

    const before = await failureAt(daemon, ["run", "weather/now", "city=Lisbon"]);
    await spawnMkt(["catalog", "grant", "weather", "--yes"], { home });
    const after = await failureAt(daemon, ["run", "weather/now", "city=Lisbon"]);

    expect(before.next).toBe("mkt catalog grant weather");
    expect(after.message).toContain("set SHOP_KEY, with mkt secrets set SHOP_KEY or in the daemon's environment");
  });

  test("a path that was filled in is called with its parameter", async () => {
    await using daemon = await spawnDaemon({ bundled: true });

    const told = await failureAt(daemon, ["run", "atlas/country/PT"]);

    expect(told).toEqual({
      exitCode: 8,
      message: 'Provider "atlas" has no endpoint "/country/PT"; did you mean "/country/{code}" with code=PT?',
      next: "mkt run 'atlas/country/{code}' code=PT",
    });
  });
});

test("the registry's port does not send anybody to a list that it does not have", async () => {
  await using daemon = await spawnDaemon();

  const answers = await Promise.all(
    ["/openapi.json", "/v1/runs", "/public/v1/providers//endpoints"].map((path) =>
      request(`${daemon.registryUrl}${path}`),
    ),
  );

  for (const { status, body } of answers) {
    expect(status).toBe(404);
    expect(body.message).toMatch(/is not a route of this service; this port serves \/public\/v1 alone$/);
  }
});

test("the daemon's help names the settings that are no flags, and fits 100 columns", async () => {
  using home = mktHome();

  const helps = await Promise.all(
    ["help environment", "daemon --help", "daemon run --help", "daemon start --help"].map((line) =>
      spawnMkt(line.split(" "), { home }),
    ),
  );

  for (const name of ["MKT_STARTING_CREDIT", "MKT_MIRROR_PROVIDER_STATUS", "MKT_DISCOVER_POOL"]) {
    expect(helps[0]?.stdout).toContain(name);
  }
  for (const { stdout } of helps.slice(1, 3)) expect(stdout).toContain("mkt help environment");
  // A folder's name is as long as it is.
  const lines = helps.flatMap(({ stdout }) => stdout.split("\n")).filter((line) => !line.includes(home.path));
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
});
