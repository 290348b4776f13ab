import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../cli/connection/read-settings.ts";
import { startStandIn, type StandIn } from "../cli/stand-in-service.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { jsonLines, runMkt, type CliSurroundings } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const owner = { user: { userId: "u1", username: "ada" }, workspace: { workspaceId: "w1", slug: "lab", name: "Lab" } };

function runAt(home: MktHome, words: readonly string[], { env, ...surroundings }: CliSurroundings = {}) {
  return runMkt(words, { env: { ...home.environment, ...env }, ...surroundings });
}

/** A service that takes this key alone. */
async function serviceTaking(key: string): Promise<StandIn> {
  return await startStandIn({
    "GET /v1/auth/whoami": ({ headers }) =>
      headers.authorization === `Bearer ${key}`
        ? { body: owner }
        : { status: 401, body: { code: 401, message: "The key is not known" } },
  });
}

async function addProfile(home: MktHome, name: string, apiUrl: string, key: string, ...words: string[]) {
  const outcome = await runAt(home, ["profile", "add", name, "--api-url", apiUrl, "--key-stdin", ...words], {
    stdin: `${key}\n`,
  });
  expect(outcome.exitCode, outcome.stderr).toBe(0);
  return outcome;
}

function profileFile(home: MktHome): string {
  return join(home.configDir, "profiles.json");
}

describe("a profile", () => {
  test("is stored, listed, shown, taken into use and removed; its key is told nowhere", async () => {
    using home = mktHome();
    const said: string[] = [];
    const run = async (...words: string[]) => {
      const { exitCode, stdout, stderr } = await runAt(home, words);
      said.push(stdout, stderr);
      expect(exitCode, stderr).toBe(0);
      return jsonLines(stdout);
    };

    const added = await addProfile(home, "prod", "https://market.example.org/mkt/", "mkt_live_s3cret");
    said.push(added.stdout, added.stderr);
    const list = await run("profile");
    const used = await run("profile", "use", "prod");
    const shown = await run("profile", "show");
    await run("profile", "remove", "prod", "--yes");
    const after = await run("profile", "list");

    const prod = { name: "prod", apiUrl: "https://market.example.org/mkt", hasKey: true, workspace: null };
    expect(list).toMatchObject([
      { name: "local", inUse: true },
      { ...prod, inUse: false },
    ]);
    expect(used).toEqual([{ ...prod, inUse: true }]);
    expect(shown).toEqual(used);
    expect(after).toMatchObject([{ name: "local", inUse: true }]);
    expect(said.join("")).not.toContain("s3cret");
  });

  test("is in a file that its owner alone can read, whatever the umask and whatever stood there", async () => {
    using home = mktHome();
    const before = process.umask(0);
    try {
      await addProfile(home, "one", "https://a.example", "k1");
      await addProfile(home, "two", "https://b.example", "k2");
    } finally {
      process.umask(before);
    }

    expect(statSync(profileFile(home)).mode & 0o777).toBe(0o600);
    expect(statSync(home.configDir).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(profileFile(home), "utf8"))).toEqual({
      profiles: { one: { apiUrl: "https://a.example", key: "k1" }, two: { apiUrl: "https://b.example", key: "k2" } },
    });
  });

  test("without a key is one for what needs none, and says how to add one", async () => {
    using home = mktHome();

    const { exitCode, stdout, stderr } = await runAt(home, [
      "profile",
      "add",
      "open",
      "--api-url",
      "https://a.example",
    ]);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: "open", hasKey: false });
    expect(stderr).toContain("No key is stored with it. To add one: mkt login open");
  });

  test("is not replaced without a yes", async () => {
    using home = mktHome();
    await addProfile(home, "prod", "https://a.example", "k1");

    const again = await runAt(home, ["profile", "add", "prod", "--api-url", "https://b.example", "--key-stdin"], {
      stdin: "k2",
    });
    const withYes = await runAt(
      home,
      ["profile", "add", "prod", "--api-url", "https://b.example", "--key-stdin", "--yes"],
      { stdin: "k2" },
    );

    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain("The profile prod is for https://a.example. Replace it with https://b.example?");
    expect(JSON.parse(withYes.stdout)).toMatchObject({ apiUrl: "https://b.example" });
  });

  test.each([
    [["profile", "add", "prod"], 2, /A profile needs an address: --api-url <url>/],
    [["profile", "add", "local", "--api-url", "https://a.example"], 2, /"local" is the local daemon/],
    [["profile", "add", "../x", "--api-url", "https://a.example"], 2, /A profile's name is letters, digits/],
    [["profile", "add", "x", "--api-url", "ftp://a.example"], 2, /--api-url must be an http or https address/],
    [["profile", "add", "x", "--api-url", "https://me:pw@a.example"], 2, /must not contain a user name or password/],
    [["profile", "add", "x", "--api-url", "https://a.example/?k=1"], 2, /must end with the path/],
    [["profile", "use", "prodd"], 2, /There is no profile "prodd".*Did you mean prod\?\n {2}next: mkt profile list/],
    [["profile", "remove", "constructor"], 2, /There is no profile "constructor"/],
    [["profile", "remove", "local"], 2, /cannot be removed/],
    [["--profile", "gone", "whoami"], 2, /There is no profile "gone" \(--profile\)\.\n {2}next: mkt profile list/],
  ])("%j is refused with words", async (words, exitCode, message) => {
    using home = mktHome();
    await addProfile(home, "prod", "https://a.example", "k1");

    const outcome = await runAt(home, words);

    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).toMatch(message);
  });

  test("taken into use while a variable names another says that the variable wins", async () => {
    using home = mktHome();
    await addProfile(home, "prod", "https://a.example", "k1");
    const env = { MKT_PROFILE: "local" };

    const { stdout, stderr } = await runAt(home, ["profile", "use", "prod"], { env });

    expect(JSON.parse(stdout)).toMatchObject({ name: "prod", inUse: false });
    expect(stderr).toBe("MKT_PROFILE names local, and has precedence while it is set.\n");
  });

  test("with a variable that names one that is gone, profiles can still be listed", async () => {
    using home = mktHome();
    await addProfile(home, "prod", "https://a.example", "k1");

    const { exitCode, stdout, stderr } = await runAt(home, ["profile"], { env: { MKT_PROFILE: "gone" } });

    expect(exitCode).toBe(0);
    expect(jsonLines(stdout)).toHaveLength(2);
    expect(stderr).toContain('There is no profile "gone" (MKT_PROFILE)');
  });

  test.each([0o640, 0o604])(
    "a file of profiles that others may use (%o) is refused until it is one's own",
    async (mode) => {
      using home = mktHome();
      await using service = await serviceTaking("k1");
      await addProfile(home, "prod", service.url, "k1", "--use");
      chmodSync(profileFile(home), mode);

      const refused = await runAt(home, ["whoami"]);
      const [, mend = ""] = /next: (.*)/.exec(refused.stderr) ?? [];
      expect(mend).toBe(`chmod 600 ${profileFile(home)}`);
      chmodSync(profileFile(home), 0o600);
      const mended = await runAt(home, ["whoami"]);

      expect(refused.exitCode).toBe(5);
      expect(refused.stderr).toContain("contains the keys of your profiles and is open to other users");
      expect(service.requests).toHaveLength(1);
      expect(mended.exitCode).toBe(0);
    },
  );

  test("a link in the place of the file is neither read nor written through", async () => {
    using home = mktHome();
    const elsewhere = join(home.path, "elsewhere.json");
    writeFileSync(elsewhere, '{"profiles":{}}', { mode: 0o600 });
    mkdirSync(home.configDir, { recursive: true });
    symlinkSync(elsewhere, profileFile(home));

    const { exitCode, stderr } = await runAt(
      home,
      ["profile", "add", "x", "--api-url", "https://a.example", "--key-stdin"],
      {
        stdin: "k1",
      },
    );

    expect(exitCode).toBe(5);
    expect(stderr).toContain("is a link");
    expect(lstatSync(profileFile(home)).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, "utf8")).toBe('{"profiles":{}}');
  });

  test.each(["{", "[]", '{"profiles":{"x":{"apiUrl":1}}}'])(
    "a file of profiles that holds %s is named",
    async (text) => {
      using home = mktHome();
      mkdirSync(home.configDir, { recursive: true });
      writeFileSync(profileFile(home), text, { mode: 0o600 });

      const { exitCode, stderr } = await runAt(home, ["whoami"]);

      expect(exitCode).toBe(5);
      expect(stderr).toContain(`The profile file ${profileFile(home)} cannot be parsed`);
    },
  );
});

describe("address, key and workspace come", () => {
  async function homeWithProfiles(): Promise<MktHome> {
    const home = mktHome();
    await addProfile(home, "prod", "https://p.example/mkt", "kp", "--workspace", "wp", "--use");
    await addProfile(home, "test", "https://t.example", "kt");
    return home;
  }

  test("from the profile in use, and say so", async () => {
    using home = await homeWithProfiles();

    const settings = await readSettings({}, home.environment);

    expect(settings).toMatchObject({
      profile: { name: "prod", from: "mkt profile use" },
      baseUrl: { value: "https://p.example/mkt", from: "the profile prod" },
      key: { value: "kp", from: "the profile prod" },
      workspace: { value: "wp", from: "the profile prod" },
    });
  });

  test("from --profile before MKT_PROFILE before `mkt profile use`", async () => {
    using home = await homeWithProfiles();
    const env = { ...home.environment, MKT_PROFILE: "test" };

    const byVariable = await readSettings({}, env);
    const byFlag = await readSettings({ profile: "prod" }, env);
    const local = await readSettings({ profile: "local" }, env);

    expect(byVariable.profile).toEqual({ name: "test", from: "MKT_PROFILE" });
    expect(byVariable.key?.value).toBe("kt");
    expect(byVariable.workspace).toBeUndefined();
    expect(byFlag.profile).toEqual({ name: "prod", from: "--profile" });
    expect(local.baseUrl).toBeUndefined();
  });

  test("from the local daemon where --data-dir names one", async () => {
    using home = await homeWithProfiles();
    await using daemon = await startTestDaemon({ home });

    const settings = await readSettings({ dataDir: home.dataDir }, { ...home.environment, MKT_PROFILE: "test" });

    expect(settings.profile).toEqual({ name: "local", from: "--data-dir" });
    expect(settings.baseUrl).toEqual({ value: daemon.url, from: "the local daemon" });
    expect(settings.key?.value).toBe(daemon.key);
  });

  test("from flags and variables before the profile, each by itself", async () => {
    using home = await homeWithProfiles();
    const keyFile = join(home.path, "key");
    writeFileSync(keyFile, "kf\n");

    const env = { ...home.environment, MKT_API_KEY: "ke", MKT_WORKSPACE: "we" };
    const byVariables = await readSettings({}, env);
    const byFlags = await readSettings({ keyFile, workspace: "wf" }, env);

    expect(byVariables).toMatchObject({
      baseUrl: { from: "the profile prod" },
      key: { value: "ke", from: "MKT_API_KEY" },
      workspace: { value: "we", from: "MKT_WORKSPACE" },
    });
    expect(byFlags).toMatchObject({ key: { value: "kf", from: "--key-file" }, workspace: { from: "--workspace" } });
  });

  test.each([
    ["the same address", "https://p.example/mkt/", "kp"],
    ["the same address in capitals", "HTTPS://P.EXAMPLE/mkt", "kp"],
    ["another host", "https://q.example/mkt", undefined],
    ["another path", "https://p.example/", undefined],
    ["another port", "https://p.example:8443/mkt", undefined],
    ["http instead of https", "http://p.example/mkt", undefined],
  ])("the profile's key and workspace at %s: %s -> %s", async (_what, apiUrl, key) => {
    using home = await homeWithProfiles();

    const byFlag = await readSettings({ apiUrl }, home.environment);
    const byVariable = await readSettings({}, { ...home.environment, MKT_API_URL: apiUrl });

    expect([byFlag.key?.value, byVariable.key?.value]).toEqual([key, key]);
    expect(byFlag.workspace?.value).toBe(key && "wp");
  });

  test("where MKT_API_URL wins over --profile, it is said", async () => {
    using home = await homeWithProfiles();
    await using other = await serviceTaking("ke");

    const { exitCode, stderr } = await runAt(home, ["whoami", "--profile", "test", "--json"], {
      env: { MKT_API_URL: other.url, MKT_API_KEY: "ke" },
    });

    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      `MKT_API_URL is set, and overrides the address of the profile test: the request goes to ${other.url}.\n`,
    );
  });

  test("a profile's key is never sent to another address, and the refusal says why", async () => {
    using home = await homeWithProfiles();
    await using other = await serviceTaking("k-other");

    const { exitCode, stderr } = await runAt(home, ["whoami", "--api-url", other.url]);

    expect(exitCode).toBe(4);
    expect(stderr).toContain(
      `no key was sent: that of the profile prod belongs to https://p.example/mkt, and ${other.url} was asked`,
    );
    expect(stderr).toContain("next: mkt whoami --api-url https://p.example/mkt");
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test("whoami says which source won", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    await addProfile(home, "prod", service.url, "k1", "--workspace", "lab");

    const { stderr } = await runAt(home, ["whoami"], { env: { MKT_PROFILE: "prod" } });

    expect(stderr).toBe(
      "Profile prod, from MKT_PROFILE.\n" +
        `Address ${service.url}, from the profile prod.\n` +
        "The key came from the profile prod.\n" +
        "Workspace lab, from the profile prod.\n",
    );
  });
});

describe("with another deployment in use", () => {
  test("no local daemon is started, and what to do next is for that deployment", async () => {
    using home = mktHome();
    await addProfile(home, "prod", "http://127.0.0.1:1", "k1");

    const { exitCode, stderr } = await runAt(home, ["discover", "sun", "--profile", "prod"], {
      env: { MKT_NO_AUTOSTART: "" },
    });

    expect(exitCode).toBe(9);
    expect(stderr).toContain("The address came from the profile prod");
    expect(stderr).not.toContain("Started the local daemon");
  });

  test("commands to type next keep --profile", async () => {
    using home = mktHome();
    await using service = await startStandIn({
      "POST /v1/inspect": { status: 404, body: { code: 404, message: "No such endpoint" } },
    });
    await addProfile(home, "prod", service.url, "k1");

    const { stderr } = await runAt(home, ["inspect", "atlas/nothing", "--profile", "prod"]);

    expect(stderr).toMatch(/next: mkt --profile prod /);
  });
});

describe("mkt login", () => {
  test("checks address and key, stores them as a profile and takes it into use", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    const keyFile = join(home.path, "key");
    writeFileSync(keyFile, "k1\n");

    const login = await runAt(home, ["login", "prod", "--api-url", `${service.url}/`, "--key-file", keyFile]);
    const whoami = await runAt(home, ["whoami", "--json"]);

    expect(login.exitCode, login.stderr).toBe(0);
    expect(login.stderr).toContain(`${service.url} accepts the key: you are ada.`);
    expect(JSON.parse(login.stdout)).toMatchObject({ name: "prod", apiUrl: service.url, hasKey: true, inUse: true });
    expect(JSON.parse(whoami.stdout)).toEqual(owner);
  });

  test("again needs the name alone, and keeps the workspace", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    await addProfile(home, "prod", service.url, "old", "--workspace", "lab");

    const { exitCode, stdout } = await runAt(home, ["login", "prod", "--key-stdin"], { stdin: "k1" });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ apiUrl: service.url, workspace: "lab", inUse: true });
  });

  test.each<[how: string, words: string[], env: Record<string, string>]>([
    ["--profile", ["login", "--profile", "one"], {}],
    ["--profile, in front", ["--profile", "one", "login"], {}],
    ["MKT_PROFILE", ["login"], { MKT_PROFILE: "one" }],
    ["--profile, whatever MKT_PROFILE says", ["login", "--profile", "one"], { MKT_PROFILE: "two" }],
  ])("gives the profile that %s names its key", async (_how, words, env) => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    await runAt(home, ["profile", "add", "one", "--api-url", service.url]);
    await runAt(home, ["profile", "add", "two", "--api-url", "http://127.0.0.1:1"]);

    const { exitCode, stdout, stderr } = await runAt(home, [...words, "--key-stdin"], { stdin: "k1", env });
    const whoami = await runAt(home, ["whoami", "--profile", "one"]);
    const list = await runAt(home, ["profile", "--fields", "name,hasKey"]);

    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: "one", apiUrl: service.url, hasKey: true });
    expect(whoami.exitCode, whoami.stderr).toBe(0);
    expect(jsonLines(list.stdout)).toMatchObject([
      { name: "local" },
      { name: "one", hasKey: true },
      { name: "two", hasKey: false },
    ]);
  });

  test("with --profile makes a profile that is not there yet", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");

    const words = ["login", "--profile", "one", "--api-url", service.url, "--key-stdin"];
    const { exitCode, stdout, stderr } = await runAt(home, words, { stdin: "k1" });

    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: "one", apiUrl: service.url, inUse: true });
  });

  test("with --profile and another name is refused: it would be a guess which one is meant", async () => {
    using home = mktHome();
    await addProfile(home, "one", "https://a.example", "k1");

    const { exitCode, stderr } = await runAt(home, ["login", "two", "--profile", "one", "--key-stdin"], { stdin: "k" });

    expect(exitCode).toBe(2);
    expect(stderr).toContain("two or one");
    expect(stderr).toMatch(/\n {2}next: mkt login two\n/);
  });

  test("with a misspelt --profile and no address says which one is near", async () => {
    using home = mktHome();
    await addProfile(home, "prod", "https://a.example", "k1");

    const { exitCode, stderr } = await runAt(home, ["login", "--profile", "prd", "--key-stdin"], { stdin: "k" });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('There is no profile "prd" (--profile). Did you mean prod?');
  });

  test.each([
    ["in use", [], {}],
    ["of --profile", ["--profile", "one"], {}],
    ["of MKT_PROFILE", [], { MKT_PROFILE: "one" }],
  ])("is all that a profile %s without a key needs: the refusal says so", async (_which, words, env) => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    await runAt(home, ["profile", "add", "one", "--api-url", service.url, ...(words.length === 0 ? ["--use"] : [])]);

    const refused = await runAt(home, ["whoami", ...words], { env });
    const [, next = ""] = /next: mkt (.*)/.exec(refused.stderr) ?? [];
    const login = await runAt(home, [...next.split(" "), "--key-stdin"], { stdin: "k1", env });
    const whoami = await runAt(home, ["whoami", ...words], { env });

    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain("the profile one has no key");
    expect(next).toBe("login one");
    expect(login.exitCode, login.stderr).toBe(0);
    expect(whoami.exitCode, whoami.stderr).toBe(0);
  });

  test("alone, at a terminal, asks for the key of the profile in use where that has none", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    await runAt(home, ["profile", "add", "one", "--api-url", service.url, "--use"]);

    const { exitCode, stdout, stderr } = await runAt(home, ["login"], { tty: true, stdin: "k1\n" });

    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain(`API key for ${service.url} (not shown`);
    expect(stdout).toMatch(/^one\n/);
  });

  test("is what a profile without a key names as the next step, when it is taken into use", async () => {
    using home = mktHome();
    await runAt(home, ["profile", "add", "one", "--api-url", "https://a.example"]);

    const inPipe = await runAt(home, ["profile", "use", "one"]);
    const onScreen = await runAt(home, ["profile", "use", "one"], { tty: true });

    expect(inPipe.stderr).toContain("No key is stored with it. To add one: mkt login one");
    expect(onScreen.stdout).toContain("Give it a key: mkt login one");
  });

  test("without a terminal and without a key names the line to type for this profile", async () => {
    using home = mktHome();
    await addProfile(home, "one", "https://a.example", "k1");

    const { exitCode, stderr } = await runAt(home, ["login", "--profile", "one"]);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/needs the API key.*\n {2}next: mkt login one --key-file <file>\n/);
  });

  test("without a name takes that of the host", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");

    const { stdout } = await runAt(home, ["login", "--api-url", service.url, "--key-stdin"], { stdin: "k1\n" });

    expect(JSON.parse(stdout)).toMatchObject({ name: `127.0.0.1-${new URL(service.url).port}` });
  });

  test("at a terminal asks for what is missing, and the key is not shown", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");

    const { exitCode, stderr } = await runAt(home, ["login", "prod", "--api-url", service.url], {
      tty: true,
      stdin: "k1\n",
    });

    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain(`API key for ${service.url} (not shown`);
    expect(stderr).not.toContain("k1");
  });

  test.each([
    ["the name given", ["login", "prod", "--api-url"]],
    ["the name of the host", ["login", "--api-url"]],
  ])("does not give %s another address unasked, nor the key to that address", async (_what, words) => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    const name = words[1] === "prod" ? "prod" : new URL(service.url).host.replace(":", "-");
    await addProfile(home, name, "https://market.example.org", "old");

    const asked = await runAt(home, [...words, service.url, "--key-stdin"], { stdin: "k1" });
    const before = service.requests.length;
    const { stdout } = await runAt(home, ["profile", "show", name]);
    const answered = await runAt(home, [...words, service.url, "--key-stdin", "--yes"], { stdin: "k1" });

    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(
      `The profile ${name} is for https://market.example.org. Replace it with ${service.url}?`,
    );
    expect(before).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ apiUrl: "https://market.example.org", hasKey: true });
    expect(JSON.parse(answered.stdout)).toMatchObject({ name, apiUrl: service.url, inUse: true });
  });

  test("with MKT_API_URL set, a profile that is for another address is not changed unasked", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");
    await addProfile(home, "prod", "https://market.example.org", "old");

    const { exitCode } = await runAt(home, ["login", "prod", "--key-stdin"], {
      stdin: "k1",
      env: { MKT_API_URL: service.url },
    });

    expect(exitCode).toBe(2);
    expect(service.requests).toEqual([]);
  });

  test("with a key that is not taken stores nothing: exit 4, and what to type", async () => {
    using home = mktHome();
    await using service = await serviceTaking("k1");

    const { exitCode, stderr } = await runAt(home, ["login", "prod", "--api-url", service.url, "--key-stdin"], {
      stdin: "wrong",
    });
    const { stdout } = await runAt(home, ["profile"]);

    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/The key is not known/);
    expect(stderr).toContain(`\n  next: mkt login prod --api-url ${service.url}\n`);
    expect(jsonLines(stdout)).toHaveLength(1);
  });

  test.each([
    [["login"], /A log-in needs an address: --api-url <url>/],
    [["login", "--api-url", "https://a.example"], /A log-in needs the API key/],
    [["login", "--api-url", "https://a.example", "--key-file", "/k", "--key-stdin"], /not from both/],
  ])("without a terminal %j says what to give", async (words, message) => {
    using home = mktHome();

    const { exitCode, stderr } = await runAt(home, words);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/next: mkt login/);
  });

  test("a key that goes over plain http to another machine is warned of before it goes", async () => {
    using home = mktHome();

    const { stderr } = await runAt(
      home,
      ["profile", "add", "x", "--api-url", "http://market.example.org", "--key-stdin"],
      {
        stdin: "k1",
      },
    );

    expect(stderr).toContain("the key is sent unencrypted");
  });
});
