import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { daemonExitCodes } from "../../cli/core/exit-codes.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { isNetwork } from "../../daemon/http/callers/request-source.ts";
import { BUY_MICRO_DOLLARS, startCountedProvider } from "../faults/counted-provider.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { freePort } from "../support/free-port.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import {
  askProxy,
  has,
  makeCertificate,
  MARKET,
  nginxWith,
  type ProxyAnswer,
  untilProxyAnswers,
} from "./behind-a-proxy.ts";
import { unknownWords } from "./known-commands.ts";

const folder = new URL("../../docs/deploy/postgres/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
const DATABASE_URL = "postgres://mkt:password@127.0.0.1:5432/mkt?sslmode=disable";
const DAEMONS = 3;

/** Every setting that the daemon reads: its configuration, and where its folders are. */
const root = new URL("../../", import.meta.url);
const known = [
  ...readdirSync(new URL("daemon/config/", root)).map((name) => `daemon/config/${name}`),
  "shared/places.ts",
]
  .map((path) => readFileSync(new URL(path, root), "utf8"))
  .flatMap((code) => code.match(/\bMKT_[A-Z_]+\b/g) ?? []);
const unknownSettings = (names: readonly string[]) => names.filter((name) => !known.includes(name));

const upstreams = (config: string) =>
  [...config.matchAll(/^\s*server (\S+?):(\d+) /gm)].map(([, host, port]) => ({ host, port: Number(port) }));

describe("the compose file", () => {
  const compose = parse(read("compose.yaml"), { merge: true });
  // The shape of a compose file is not ours.
  // oxlint-disable-next-line typescript/no-explicit-any
  const services: Record<string, Record<string, any>> = compose.services;
  const daemons = Object.entries(services).filter(([name]) => /^mkt-\d$/.test(name));
  const addressOf = (name: string): string => services[name]?.["networks"].market.ipv4_address;

  test("has three daemons with one catalog and one sealing key, each with folders of its own", () => {
    const volumes = daemons.flatMap(([, { volumes: own }]) => own as string[]);
    const named = volumes.filter((volume) => !volume.startsWith("."));

    expect(daemons).toHaveLength(DAEMONS);
    expect(new Set(volumes.filter((volume) => volume.startsWith("."))).size).toBe(1);
    expect(new Set(named).size).toBe(2 * DAEMONS);
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(named.map((volume) => volume.split(":")[0])));
    for (const [, { secrets }] of daemons) expect(secrets).toEqual(Object.keys(compose.secrets));
  });

  test.each(daemons)("gives %s settings that the daemon knows and takes", (_, { environment }) => {
    const config = parseDaemonConfig(
      {},
      { environment: { ...environment, MKT_DATABASE_URL: DATABASE_URL }, bundledCatalogDir, version: "0.1.0" },
    );

    expect(unknownSettings(Object.keys(environment))).toEqual([]);
    expect(config.database?.sealingKey).toEqual({ file: `/run/secrets/${Object.keys(compose.secrets)[0]}` });
    expect(config.catalogDirs).toEqual(["/catalog"]);
    expect(config.trustedProxies).toEqual([addressOf("nginx")]);
    expect(config.trustedProxies.every(isNetwork)).toBe(true);
  });

  test("starts each service after ones that it has, and tells when those are ready", () => {
    const image = readFileSync(new URL("Dockerfile", root), "utf8");
    const isChecked = (name: string) =>
      services[name]?.["healthcheck"] !== undefined ||
      (services[name]?.["image"] === "mkt" && /^HEALTHCHECK /m.test(image));
    const awaited = Object.values(services).flatMap((service): [string, { condition?: string }][] => {
      const after = service["depends_on"] ?? {};
      return Array.isArray(after) ? after.map((name: string) => [name, {}]) : Object.entries(after);
    });

    expect(awaited.length).toBeGreaterThan(DAEMONS);
    for (const [name, how] of awaited) {
      expect(Object.keys(services)).toContain(name);
      if (how.condition === "service_healthy") expect([name, isChecked(name)]).toEqual([name, true]);
    }
    const addresses = Object.keys(services).map(addressOf);
    const [{ subnet }] = compose.networks.market.ipam.config;
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const address of addresses) expect(address.startsWith(subnet.replace(/0\/24$/, ""))).toBe(true);
  });

  test("mounts files that are shipped beside it, and publishes the ports that nginx listens on", () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes as string[]);
    const files = mounted.filter((one) => /^\.\/.*\.\w+:/.test(one)).map((one) => one.slice(2, one.indexOf(":")));
    const listened = [...read("nginx.conf").matchAll(/^\s*listen (\d+)/gm)].map(([, port]) => port);

    expect(files.sort()).toEqual(["make-role.sql", "nginx.conf"]);
    for (const file of files) expect(read(file)).not.toBe("");
    const ports: readonly string[] = services["nginx"]?.["ports"] ?? [];
    const published = ports.map((one) => one.split(":")[1]);
    expect([...new Set(listened)].sort()).toEqual(published.sort());
  });

  test("has nginx pass requests to the addresses of the daemons, as the file for one machine does", () => {
    const inCompose = compose.configs.upstream.content;

    expect(upstreams(inCompose)).toEqual(daemons.map(([name]) => ({ host: addressOf(name), port: 7717 })));
    expect(
      read("upstream.conf")
        .replaceAll(/^\s*#.*\n/gm, "")
        .replaceAll(/server \S+/g, "server")
        .trim(),
    ).toBe(inCompose.replaceAll(/server \S+/g, "server").trim());
  });
});

describe("the unit of several daemons", () => {
  const unit = read("mkt@.service");
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]);

  test.each(upstreams(read("upstream.conf")))("runs a daemon on $port, where nginx looks for it", async ({ port }) => {
    const environment = Object.fromEntries(
      settings.map(([name, value]) => [name, value?.replaceAll("%i", String(port))]),
    );
    const config = parseDaemonConfig(
      {},
      { environment: { ...environment, MKT_DATABASE_URL: DATABASE_URL }, bundledCatalogDir, version: "0.1.0" },
    );

    expect(unknownSettings(Object.keys(environment))).toEqual([]);
    expect(config).toMatchObject({ port, dataDir: `/var/lib/mkt/${port}/data`, host: "127.0.0.1" });
    expect(config.registryPort).toBeGreaterThan(port + DAEMONS);
    expect(await unknownWords(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "")).toEqual([]);
  });

  test("starts a daemon again that found no database, and not one that could not use its settings", () => {
    const never = /^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(" ").map(Number);

    expect(never).toEqual([daemonExitCodes.damagedData, daemonExitCodes.refusedConfiguration]);
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
  });

  test.skipIf(!has("systemd-analyze"))("is found in order by systemd-analyze verify, where that is installed", () => {
    using place = tempDir();
    const program = join(place.path, "mkt");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    const instance = join(place.path, "mkt@7717.service");
    writeFileSync(instance, unit.replace("/usr/local/bin/mkt", program));

    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", instance], { encoding: "utf8" });

    expect(stderr.split("\n").filter((line) => line.includes("mkt@"))).toEqual([]);
    expect(status, stderr).toBe(0);
  });
});

/** What the shipped SQL makes, under a name of this test's own. */
async function shippedRole() {
  const server = await emptyDatabase();
  const name = `r${randomBytes(6).toString("hex")}`;
  const script = read("make-role.sql").replaceAll(/\b(role|database|owner) mkt\b/g, `$1 ${name}`);
  const made = spawnSync("psql", ["-X", "-q", server.url], {
    input: script,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], MKT_DATABASE_PASSWORD: "it's a secret" },
  });
  if (made.status !== 0 || made.stderr !== "") throw new Error(`psql: ${made.stderr}`);
  const url = new URL(server.url);
  return {
    url: `postgres://${name}:${encodeURIComponent("it's a secret")}@${url.host}/${name}`,
    rights: async () =>
      await server.query("select rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = $1", [name]),
    async [Symbol.asyncDispose]() {
      await server.query(`drop database ${name} with (force)`);
      await server.query(`drop role ${name}`);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A real nginx with the shipped files, before these daemons. */
async function startNginx(port: number, daemonUrls: readonly string[]) {
  const place = tempDir("mkt-nginx-");
  makeCertificate(place.path);
  const ports = upstreams(read("upstream.conf")).map(({ port: shipped }) => shipped);
  const upstream = ports.reduce(
    (text, shipped, at) => text.replace(`127.0.0.1:${shipped}`, new URL(daemonUrls[at] ?? "").host),
    read("upstream.conf"),
  );
  const words = nginxWith(place.path, `${upstream}\n${read("nginx.conf")}`, { port, otherPort: await freePort() });
  const checked = spawnSync("nginx", ["-t", ...words], { encoding: "utf8" });
  if (checked.status !== 0) throw new Error(checked.stderr);
  const child: ChildProcess = spawn("nginx", words, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await untilProxyAnswers(port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
      place[Symbol.dispose]();
    },
  };
}

const missing = ["nginx", "openssl", "psql"].filter((program) => !has(program));

describe.skipIf(!hasPostgres || missing.length > 0)(`three daemons behind nginx (${NEEDS_POSTGRES}, nginx)`, () => {
  test("one is killed under load: runs go on, none is lost, none is called or charged twice", async () => {
    await using role = await shippedRole();
    await using provider = await startCountedProvider();
    const port = await freePort();
    const options = {
      args: ["--public-url", `https://${MARKET}:${port}`],
      manifests: provider.manifests,
      environment: {
        MKT_DATABASE_URL: role.url,
        MKT_DATABASE_KEY: "ab".repeat(32),
        MKT_LEASE_SECONDS: "2",
        MKT_TRUSTED_PROXIES: "127.0.0.1",
        MKT_LOG_LEVEL: "error",
      },
    };
    await using first = await spawnDaemon(options);
    const [one, other] = await Promise.all([spawnDaemon(options), spawnDaemon(options)]);
    await using second = one;
    await using third = other;
    await using nginx = await startNginx(port, [first.url, second.url, third.url]);
    const ask = async (path: string, more = {}): Promise<ProxyAnswer> =>
      await askProxy(nginx.port, path, { host: `${MARKET}:${port}`, key: first.key, ...more });
    const runIds: string[] = [];
    const buy = async () => {
      const wish = {
        method: "POST",
        body: { provider: "counted", endpoint: "/buy" },
        headers: { "idempotency-key": randomUUID() },
      };
      for (const hangs = Date.now() + 60_000; Date.now() < hangs; await delay(50)) {
        const { body } = await ask("/v1/run", wish);
        const runId = /"runId":"([^"]+)"/.exec(body)?.[1];
        if (runId !== undefined) return void runIds.push(runId);
      }
      throw new Error("a run got no answer for a minute");
    };
    const buyer = async (count: number) => {
      for (let left = count; left > 0; left -= 1) await buy();
    };
    const WISHES = 24;
    const load = Promise.all(Array.from({ length: 4 }, () => buyer(WISHES / 4)));
    while (runIds.length < WISHES / 3) await delay(5);
    await second.kill("SIGKILL");
    await load;

    const runs = [];
    for (const runId of runIds) {
      let found = await ask(`/v1/runs/${runId}`);
      for (const hangs = Date.now() + 60_000; /"status":"(READY|RUNNING|STOPPING)"/.test(found.body);) {
        if (Date.now() > hangs) throw new Error(`${runId} is still open`);
        await delay(100);
        found = await ask(`/v1/runs/${runId}`);
      }
      runs.push({ ...found, ...(JSON.parse(found.body) as { billing?: { reportedCost: { value: number } } }) });
    }
    const wallet = JSON.parse((await ask("/v1/wallet/balance")).body);
    const ready = await Promise.all(Array.from({ length: 6 }, () => ask("/ready")));
    const started = provider.startedRuns();
    const reported = runs.reduce((sum, { billing }) => sum + (billing?.reportedCost.value ?? 0), 0);

    expect(await role.rights()).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false }]);
    expect(new Set(runIds).size).toBe(WISHES);
    expect(new Set(started).size).toBe(started.length);
    expect(started.filter((runId) => !runIds.includes(runId))).toEqual([]);
    expect(reported).toBeGreaterThan((WISHES / 2) * BUY_MICRO_DOLLARS);
    expect(reported).toBeLessThanOrEqual(started.length * BUY_MICRO_DOLLARS);
    expect(wallet).toMatchObject({ held: { value: 0 } });
    expect(wallet.balance.value).toBeCloseTo(10 - reported / 1_000_000, 6);
    expect(ready.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
  }, 180_000);
});
