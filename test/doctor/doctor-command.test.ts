import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import type { DoctorReport } from "../../cli/doctor/report.ts";
import { localDaemonFilePath } from "../../shared/local-daemon-file.ts";
import { startStandIn } from "../cli/stand-in-service.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type CliSurroundings, runMkt } from "../support/run-cli.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { OidcServer } from "../support/oidc-server.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

// Other daemons of this machine may have the usual ports.
const freePorts = { MKT_PORT: "0", MKT_REGISTRY_PORT: "0" };

function run(home: MktHome, words: readonly string[], { env, ...surroundings }: CliSurroundings = {}) {
  return runMkt(words, {
    env: { ...home.environment, ...freePorts, ...env },
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: Date.now() }),
    ...surroundings,
  });
}

async function look(home: MktHome, env: Record<string, string> = {}, ...flags: string[]) {
  const { exitCode, stdout, stderr } = await run(home, ["doctor", "--json", ...flags], { env });
  expect(stderr).toBe("");
  const report = JSON.parse(stdout) as DoctorReport;
  return {
    exitCode,
    report,
    stateOf: (check: string) => report.checks.find((one) => one.check === check)?.state,
    of: (check: string) => report.findings.filter((one) => one.check === check),
  };
}

/** Types a command of ours that a finding names. */
async function type(home: MktHome, line: string, surroundings: CliSurroundings = {}) {
  const outcome = await run(home, line.split(" ").slice(1), surroundings);
  expect(outcome.exitCode, outcome.stderr).toBe(0);
}

/** Types a `chmod` that a finding names. */
function typeChmod(line: string): void {
  const [, mode = "", path = ""] = /^chmod (\d+) (\S+)$/.exec(line) ?? [];
  chmodSync(path, Number.parseInt(mode, 8));
}

/** Needs a secret. */
const acme = {
  mkt: 1,
  provider: "acme",
  displayName: "Acme",
  description: "Weather of Acme, by city and by day.",
  secrets: { key: { env: "ACME_API_KEY", description: "From your account" } },
  http: {
    baseUrl: "https://acme.example",
    auth: { type: "apiKey", in: "header", name: "x-key", value: "${secret.key}" },
  },
  endpoints: {
    "/now": {
      description: "The weather of a city now, as its own station measures it.",
      request: { method: "GET", path: "/now" },
      price: { type: "PER_CALL", amount: 0.01 },
    },
  },
};

test("with nothing started nothing is wrong, and it is said what was not looked at", async () => {
  using home = mktHome();

  const { exitCode, report, stateOf } = await look(home);

  expect(report.findings).toEqual([]);
  expect(exitCode).toBe(0);
  expect(stateOf("node")).toBe("ok");
  expect(stateOf("service")).toBe("skipped");
  expect(stateOf("data")).toBe("skipped");
});

test("with a daemon that runs, everything is looked at but its data", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home, bundled: true });

  const { exitCode, report } = await look(home);

  expect(report.findings).toEqual([]);
  expect(exitCode).toBe(0);
  expect(Object.fromEntries(report.checks.map(({ check, state }) => [check, state]))).toEqual({
    node: "ok",
    settings: "ok",
    service: "ok",
    version: "ok",
    clock: "ok",
    key: "ok",
    keys: "ok",
    connections: "ok",
    console: "ok",
    providers: "ok",
    disk: "ok",
    permissions: "ok",
    ports: "ok",
    manifests: "skipped",
    data: "skipped",
  });
  expect(report.checks.find(({ check }) => check === "service")?.saw).toContain(daemon.url);
});

test("how people sign in to the console is said, and what keeps the identity provider from it", async () => {
  await using provider = await OidcServer.start();
  const { MKT_CONSOLE_CLIENT_ID: _, ...tokensOnly } = provider.environment as Record<string, string>;
  const inspect = async (environment: Readonly<Record<string, string>>) => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home, environment });
    const { report, of } = await look(home, { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key });
    return { saw: report.checks.find(({ check }) => check === "console")?.saw, findings: of("console") };
  };

  const unset = await inspect(tokensOnly);
  const good = await inspect(provider.environment);
  provider.options = { metadata: { code_challenge_methods_supported: ["plain"] } };
  const bad = await inspect(provider.environment);

  expect(unset).toMatchObject({ saw: expect.stringContaining("MKT_CONSOLE_CLIENT_ID"), findings: [] });
  expect(good).toMatchObject({ saw: expect.stringContaining(provider.issuer), findings: [] });
  expect(bad.findings).toMatchObject([
    {
      message: expect.stringContaining("does not take PKCE with S256"),
      next: `curl -s ${provider.issuer}/.well-known/openid-configuration`,
    },
  ]);
});

test("at a terminal each check is a line, and each finding comes with its command, unbroken", async () => {
  using home = mktHome();
  mkdirSync(home.configDir, { recursive: true });
  writeFileSync(join(home.configDir, "secrets.json"), "{}", { mode: 0o644 });

  const { exitCode, stdout } = await run(home, ["doctor"], { tty: true });

  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^ok {7}node +v/m);
  expect(stdout).toMatch(/^found {4}permissions/m);
  expect(stdout).toContain(`Fix it: chmod 600 ${join(home.configDir, "secrets.json")}`);
  expect(stdout).toContain("One finding.");
});

describe("running the command of a finding removes it:", () => {
  test.each([
    ["secrets", "secrets.json"],
    ["the token of mkt mcp --http", "mcp-token"],
  ])("a file that others may read, of %s", async (_what, name) => {
    using home = mktHome();
    mkdirSync(home.configDir, { recursive: true, mode: 0o700 });
    writeFileSync(join(home.configDir, name), "{}", { mode: 0o644 });

    const [finding] = (await look(home)).of("permissions");
    typeChmod(finding?.next ?? "");

    expect(finding?.message).toContain("Other users may use the secrets in");
    expect((await look(home)).of("permissions")).toEqual([]);
  });

  test("a data folder that others may look into", async () => {
    using home = mktHome();
    mkdirSync(home.dataDir, { mode: 0o755 });

    const [finding] = (await look(home)).of("permissions");
    typeChmod(finding?.next ?? "");

    expect(finding?.next).toBe(`chmod 700 ${home.dataDir}`);
    expect((await look(home)).of("permissions")).toEqual([]);
  });

  test("a daemon that was killed", async () => {
    using home = mktHome();
    await using daemon = await spawnDaemon({ home });
    await daemon.kill("SIGKILL");

    const [finding] = (await look(home)).of("service");
    const started = await spawnMkt(["daemon", "start", "--port", "0", "--registry-port", "0"], { home });
    const after = await look(home);
    await spawnMkt(["daemon", "stop"], { home });

    expect(finding).toMatchObject({
      message: expect.stringContaining("ended without shutting down"),
      next: "mkt daemon start",
    });
    expect(started.code, started.stderr).toBe(0);
    expect(after.of("service")).toEqual([]);
  }, 90_000);

  test("a daemon that hangs", async () => {
    using home = mktHome();
    await using daemon = await spawnDaemon({ home });
    process.kill(daemon.pid, "SIGSTOP");

    const [finding] = (await look(home)).of("service");
    const [, pid = "0"] = /^kill -9 (\d+) && mkt daemon start$/.exec(finding?.next ?? "") ?? [];
    process.kill(Number(pid), "SIGKILL");
    await daemon.exited;
    const started = await spawnMkt(["daemon", "start", "--port", "0", "--registry-port", "0"], { home });
    const after = await look(home);
    await spawnMkt(["daemon", "stop"], { home });

    expect(Number(pid)).toBe(daemon.pid);
    expect(finding?.message).toContain(`is running but does not answer at ${daemon.url}`);
    expect(started.code, started.stderr).toBe(0);
    expect(after.of("service")).toEqual([]);
  }, 90_000);

  test("a file of the local daemon that others may read: nothing is asked until it is one's own", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ home });
    const path = localDaemonFilePath(home.configDir, home.dataDir);
    chmodSync(path, 0o644);

    const before = await look(home);
    typeChmod(before.of("settings")[0]?.next ?? "");

    expect(daemon.url).toContain("http");
    expect(before.of("settings")).toMatchObject([
      { message: expect.stringContaining("contains the local daemon's key") },
    ]);
    expect(before.stateOf("service")).toBe("skipped");
    expect((await look(home)).exitCode).toBe(0);
  });

  test("a profile that is not there, which a variable names", async () => {
    using home = mktHome();

    const { exitCode, of } = await look(home, { MKT_PROFILE: "gone" });

    expect(exitCode).toBe(1);
    expect(of("settings")).toMatchObject([
      { message: expect.stringContaining('no profile "gone"'), next: "mkt profile list" },
    ]);
  });

  test("a key that the deployment does not take", async () => {
    using home = mktHome();
    let taken = "new";
    await using service = await startStandIn({
      "GET /health": { body: { status: "ok", version: "0.1.0", uptimeMs: 1, storage: "ok" } },
      "GET /v1/auth/whoami": ({ headers }) =>
        headers.authorization === `Bearer ${taken}`
          ? { body: { user: { userId: "u1", username: "ada" } } }
          : { status: 401, body: { code: 401, message: "The key is not known" } },
    });
    taken = "old";
    await type(home, `mkt login prod --api-url ${service.url} --key-stdin`, { stdin: "old" });
    taken = "new";

    const [finding] = (await look(home)).of("key");
    await type(home, `${finding?.next} --key-stdin --yes`, { stdin: "new" });

    expect(finding).toMatchObject({
      message: expect.stringContaining("The key is not known (the key came from the profile prod)"),
      next: "mkt login prod",
    });
    expect((await look(home)).of("key")).toEqual([]);
  });

  test("a grant, and then a secret, that a provider of your own needs", async () => {
    using home = mktHome();
    mkdirSync(join(home.configDir, "catalog"), { recursive: true });
    writeFileSync(join(home.configDir, "catalog", "acme.json"), JSON.stringify(acme));
    await using daemon = await startTestDaemon({ home });

    const grants = (await look(home)).of("providers");
    await type(home, `${grants[0]?.next} --yes`);
    const secrets = (await look(home)).of("providers");
    await type(home, secrets[0]?.next ?? "", { stdin: "s3cret" });

    expect(daemon.url).toContain("http");
    expect(grants.map(({ next }) => next)).toEqual(["mkt catalog grant acme"]);
    expect(secrets.map(({ next }) => next)).toEqual(["mkt secrets set ACME_API_KEY"]);
    expect((await look(home)).of("providers")).toEqual([]);
  });

  test("a provider file that cannot be used", async () => {
    using home = mktHome();
    const file = join(home.configDir, "catalog", "acme.yaml");
    mkdirSync(join(home.configDir, "catalog"), { recursive: true });
    writeFileSync(file, "mkt: 1\nprovider: acme\nnonsense: true\n");

    const [finding] = (await look(home)).of("manifests");
    const shown = await run(home, (finding?.next ?? "").split(" ").slice(1));

    expect(finding?.next).toBe(`mkt catalog check ${file}`);
    expect(shown.exitCode).toBe(1);
    expect(shown.stdout).toContain("nonsense");
    rmSync(file);
    expect((await look(home)).of("manifests")).toEqual([]);
  });

  test("ports that another program has", async () => {
    using home = mktHome();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const environment = { MKT_PORT: port, MKT_REGISTRY_PORT: "0" };

    const [finding] = (await look(home, environment)).of("ports");
    const started = await spawnMkt((finding?.next ?? "").split(" ").slice(1), { home, environment });
    const after = await look(home, environment);
    await spawnMkt(["daemon", "stop"], { home });
    await new Promise((resolve) => server.close(resolve));

    expect(finding?.message).toContain(`could not open port ${port} of 127.0.0.1: another program has it`);
    expect(started.code, started.stderr).toBe(0);
    expect(after.of("ports")).toEqual([]);
  }, 90_000);

  test("a setting that the daemon refuses is told", async () => {
    using home = mktHome();

    const { of } = await look(home, { MKT_PORT: "a lot" });

    expect(of("ports")).toMatchObject([{ message: expect.stringContaining("MKT_PORT") }]);
  });
});

describe("a deployment", () => {
  const well = { status: "ok", version: "0.1.0", uptimeMs: 1, storage: "ok" };
  const caller = { body: { user: { userId: "u1", username: "ada" } } };

  test("that does not answer is told in the words of every command", async () => {
    using home = mktHome();

    const { exitCode, of } = await look(home, { MKT_API_URL: "http://127.0.0.1:1", MKT_API_KEY: "k1" });

    expect(exitCode).toBe(1);
    expect(of("service")).toMatchObject([
      { message: expect.stringContaining("The address came from MKT_API_URL"), next: "curl http://127.0.0.1:1/health" },
    ]);
  });

  test("that is not well, of another version, and with another time", async () => {
    using home = mktHome();
    const headers = { "x-mkt-version": "0.4.0", date: new Date(Date.now() - 300_000).toUTCString() };
    await using service = await startStandIn({
      "GET /health": { status: 503, headers, body: { ...well, status: "draining" } },
      "GET /v1/auth/whoami": caller,
    });

    const { of } = await look(home, service.env);

    expect(of("service")).toMatchObject([
      { message: expect.stringContaining("draining"), next: `curl ${service.url}/health` },
    ]);
    expect(of("version")).toMatchObject([
      { message: expect.stringContaining("The service is mkt 0.4.0"), next: "npm install --global mkt@0.4.0" },
    ]);
    expect(of("clock")).toMatchObject([
      { message: expect.stringMatching(/30\d seconds ahead/), next: "sudo timedatectl set-ntp true" },
    ]);
  });

  test("whose providers are its operator's affair finds none of them at fault", async () => {
    using home = mktHome();
    await using service = await startStandIn({ "GET /health": { body: well }, "GET /v1/auth/whoami": caller });

    const { stateOf, exitCode } = await look(home, service.env);

    expect(stateOf("providers")).toBe("skipped");
    expect(exitCode).toBe(0);
  });
});

test("commands to type keep --data-dir", async () => {
  using home = mktHome();
  await using daemon = await spawnDaemon({ home });
  await daemon.kill("SIGKILL");

  const { of } = await look(home, {}, "--data-dir", home.dataDir);

  expect(of("service")[0]?.next).toBe(`mkt --data-dir ${home.dataDir} daemon start`);
});

test("nothing that is looked at is changed", async () => {
  using home = mktHome();
  mkdirSync(home.configDir, { recursive: true });
  const secrets = join(home.configDir, "secrets.json");
  writeFileSync(secrets, '{"a":1}', { mode: 0o644 });

  await look(home);

  expect(readFileSync(secrets, "utf8")).toBe('{"a":1}');
  expect(() => readFileSync(home.dataDir)).toThrow(/ENOENT/);
});
