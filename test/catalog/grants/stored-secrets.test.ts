import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigRefused } from "../../../daemon/config/config-refused.ts";
import { openSecretsFile } from "../../../daemon/storage/documents/secrets-file.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../../support/start-daemon.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { weatherManifest } from "../../support/weather-manifest.ts";

const value = "first-canary-4711";
const secondValue = "second-canary-0815";

function manifestOf(baseUrl: string): object {
  const weather = weatherManifest(baseUrl) as { http: object };
  const auth = { type: "apiKey", in: "header", name: "x-key", value: "${secret.key}" };
  return { ...weather, secrets: { key: { env: "WEATHER_KEY" } }, http: { ...weather.http, auth } };
}

/** A daemon with a provider that wants WEATHER_KEY and sends back what it got. */
async function setUp(options: TestDaemonOptions = {}) {
  const vendor = await startFakeProvider();
  vendor.on("GET /plain", ({ headers }) => ({ json: { heard: headers["x-key"] } }));
  const home = options.home ?? mktHome();
  const daemon = await startTestDaemon({ home, manifests: { weather: manifestOf(vendor.url) }, ...options });
  return {
    vendor,
    home,
    daemon,
    run: async () => await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/plain" }),
    sentKey: () => vendor.calls.at(-1)?.headers["x-key"],
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      if (options.home === undefined) home[Symbol.dispose]();
    },
  };
}

async function put({ request }: TestDaemon, name: string, secret: string) {
  return await request("PUT", `/v1/admin/secrets/${name}`, { value: secret });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function filesThatHold(text: string, { path }: MktHome): string[] {
  return filesBelow(path).filter((file) => readFileSync(file).includes(text));
}

describe("a secret that the operator stores", () => {
  test("is in force at once, and what a provider echoes of it is taken out", async () => {
    await using world = await setUp();

    const before = await world.run();
    const stored = await put(world.daemon, "WEATHER_KEY", value);
    const after = await world.run();

    expect(before).toMatchObject({ status: 503, body: { next: "mkt secrets set WEATHER_KEY" } });
    expect(stored).toMatchObject({
      status: 200,
      body: { name: "WEATHER_KEY", overridden: false, providers: [{ provider: "weather", needsGrant: false }] },
    });
    expect(world.sentKey()).toBe(value);
    expect(after.body).toMatchObject({ status: "COMPLETED", output: { heard: "[redacted]" } });
  });

  test("may be replaced, and the value before it stays taken out", async () => {
    await using world = await setUp();
    await put(world.daemon, "WEATHER_KEY", value);
    await put(world.daemon, "WEATHER_KEY", secondValue);
    world.vendor.on("GET /plain", ({ headers }) => ({ json: { heard: headers["x-key"], remembered: value } }));

    const { body } = await world.run();

    expect(world.sentKey()).toBe(secondValue);
    expect(body.output).toEqual({ heard: "[redacted]", remembered: "[redacted]" });
  });

  test("says so when it is too short to be taken out, until a longer one takes its place", async () => {
    await using world = await setUp();

    const short = await put(world.daemon, "WEATHER_KEY", "12345");
    const listed = await world.daemon.request("GET", "/v1/admin/secrets");
    const echoed = await world.run();
    const long = await put(world.daemon, "WEATHER_KEY", "123456");
    const takenOut = await world.run();

    expect(short.body.notRedacted).toBe(true);
    expect(listed.body.items).toMatchObject([{ name: "WEATHER_KEY", notRedacted: true }]);
    expect(echoed.body.output).toEqual({ heard: "12345" });
    expect(long.body).not.toHaveProperty("notRedacted");
    expect(takenOut.body.output).toEqual({ heard: "[redacted]" });
  });

  test("is listed by its name and never told again", async () => {
    await using world = await setUp();
    await put(world.daemon, "WEATHER_KEY", value);
    await put(world.daemon, "ACME_KEY", secondValue);

    const list = await world.daemon.request("GET", "/v1/admin/secrets");

    expect(list.body.items.map(({ name }: { name: string }) => name)).toEqual(["ACME_KEY", "WEATHER_KEY"]);
    expect(list.body.items[0].providers).toEqual([]);
    expect(list.text).not.toMatch(/canary/);
  });

  test("may be removed, and is then nowhere", async () => {
    await using world = await setUp();
    await put(world.daemon, "WEATHER_KEY", value);
    const held = filesThatHold(value, world.home);

    const removed = await world.daemon.request("DELETE", "/v1/admin/secrets/WEATHER_KEY");

    expect(held).toEqual([join(world.home.configDir, "secrets.json")]);
    expect(removed.status).toBe(204);
    expect(filesThatHold(value, world.home)).toEqual([]);
    expect((await world.run()).status).toBe(503);
    expect((await world.daemon.request("DELETE", "/v1/admin/secrets/WEATHER_KEY")).status).toBe(404);
  });

  test("is in a file of the configuration folder that its owner alone can read, and in no other", async () => {
    await using world = await setUp();
    await put(world.daemon, "WEATHER_KEY", value);
    await world.run();

    expect(filesThatHold(value, world.home)).toEqual([join(world.home.configDir, "secrets.json")]);
    expect(statSync(join(world.home.configDir, "secrets.json")).mode & 0o777).toBe(0o600);
  });

  test("outlives the daemon", async () => {
    using home = mktHome();
    {
      await using first = await setUp({ home });
      await put(first.daemon, "WEATHER_KEY", value);
    }
    await using second = await setUp({ home });

    await second.run();

    expect(second.sentKey()).toBe(value);
  });

  test("gives way to the daemon's environment, and the answer says so", async () => {
    await using world = await setUp({ environment: { WEATHER_KEY: secondValue } });

    const stored = await put(world.daemon, "WEATHER_KEY", value);
    await world.run();

    expect(stored.body.overridden).toBe(true);
    expect(world.sentKey()).toBe(secondValue);
  });

  test("counts where the environment's variable is empty", async () => {
    await using world = await setUp({ environment: { WEATHER_KEY: "" } });

    await put(world.daemon, "WEATHER_KEY", value);
    await world.run();

    expect(world.sentKey()).toBe(value);
  });

  test("is read by a stranger's file only with its grant", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    const strangers = home.writeCatalog("strangers", { weather: manifestOf(vendor.url) });
    await using daemon = await startTestDaemon({ home, config: { catalogDirs: [strangers] } });

    const stored = await put(daemon, "WEATHER_KEY", value);
    const refused = await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });

    expect(stored.body.providers).toEqual([{ provider: "weather", needsGrant: true }]);
    expect(refused).toMatchObject({ status: 503, body: { next: "mkt catalog grant weather" } });
    expect(vendor.calls).toEqual([]);
  });
});

describe("storing is refused for", () => {
  test.each([
    ["a name in small letters", "weather_key", value],
    ["a name that is a path", "..%2F..%2Fetc", value],
    ["an empty value", "WEATHER_KEY", ""],
    ["a value that begins with a blank", "WEATHER_KEY", " secret-canary"],
    ["a value that ends with a line break", "WEATHER_KEY", "secret-canary\n"],
    ["a value that is too long", "WEATHER_KEY", "secret-canary".repeat(4_000)],
  ])("%s, without a word of the value", async (_, name, secret) => {
    await using world = await setUp();

    const { status, text } = await put(world.daemon, name, secret);

    expect(status).toBe(400);
    expect(text).not.toContain("canary");
    expect(existsSync(join(world.home.configDir, "secrets.json"))).toBe(false);
  });

  test("everybody but an operator, who is told that there is no such route", async () => {
    await using world = await setUp();
    const { key } = (await world.daemon.request("POST", "/v1/api-keys", { label: "plain" })).body;
    const headers = { authorization: `Bearer ${key}` };

    const answers = await Promise.all([
      world.daemon.request("PUT", "/v1/admin/secrets/WEATHER_KEY", { value }, headers),
      world.daemon.request("GET", "/v1/admin/secrets", undefined, headers),
      world.daemon.request("DELETE", "/v1/admin/secrets/WEATHER_KEY", undefined, headers),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe("the file of the secrets", () => {
  test("is not used when others may read it", async () => {
    using folder = tempDir();
    const path = join(folder.path, "secrets.json");
    writeFileSync(path, JSON.stringify({ WEATHER_KEY: value }));
    chmodSync(path, 0o640);

    await expect(openSecretsFile(folder.path)).rejects.toThrow(ConfigRefused);
    await expect(openSecretsFile(folder.path)).rejects.toThrow(`chmod 600 ${path}`);
  });

  test("is not followed when it is a link", async () => {
    using folder = tempDir();
    writeFileSync(join(folder.path, "elsewhere"), "{}", { mode: 0o600 });
    symlinkSync(join(folder.path, "elsewhere"), join(folder.path, "secrets.json"));

    await expect(openSecretsFile(folder.path)).rejects.toThrow("is a symbolic link");
  });

  test.each(["{", "[]", '{"weather_key":"x"}', '{"WEATHER_KEY":1}'])("is refused as %s, and named", async (text) => {
    using folder = tempDir();
    writeFileSync(join(folder.path, "secrets.json"), text, { mode: 0o600 });

    await expect(openSecretsFile(folder.path)).rejects.toThrow(join(folder.path, "secrets.json"));
  });

  test("keeps what another wrote into it meanwhile", async () => {
    using folder = tempDir();
    const [one, other] = await Promise.all([openSecretsFile(folder.path), openSecretsFile(folder.path)]);

    await one.update((data) => void (data["A_KEY"] = "a"));
    await other.update((data) => void (data["B_KEY"] = "b"));

    expect(other.data).toEqual({ A_KEY: "a", B_KEY: "b" });
  });
});
