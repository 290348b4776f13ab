import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { daemonExitCodes } from "../../cli/core/exit-codes.ts";
import { type DaemonConfig, parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { DEFAULT_PORT } from "../../daemon/config/server-settings.ts";
import { RUN_GRACE_MS } from "../../daemon/daemon.ts";
import { operations } from "../../shared/contract/index.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { tempDir } from "../support/temp-dir.ts";
import { followDocument } from "./follow-document.ts";
import { unknownWords } from "./known-commands.ts";

const root = new URL("../..", import.meta.url).pathname;
const deploy = join(root, "docs/deploy");
const read = (path: string) => readFileSync(join(root, path), "utf8");

followDocument("docs/deploy.md", { shows: ['"status":"ok"', "The daemon has stopped"] });

/** Whether a program is on this machine; where it is not, its test is skipped and the files are only read. */
function has(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

describe("the systemd unit", () => {
  const settings = settingsOf(read("docs/deploy/mkt.service"));
  const environment = environmentOf(settings.get("Environment") ?? []);
  const stateDirectory = `/var/lib/${settings.get("StateDirectory")?.[0]}`;

  test("runs a command that there is, in the foreground, and not as root", async () => {
    const [command = ""] = settings.get("ExecStart") ?? [];

    expect(await unknownWords(command)).toEqual([]);
    expect(command.split(" ").slice(1, 3)).toEqual(["daemon", "run"]);
    expect(settings.get("User")?.[0]).toMatch(/^(?!root$)\w+$/);
  });

  test("has the daemon keep everything in the folder that systemd makes for it, which nobody else can read", () => {
    const { dataDir, configDir } = configOf(environment);

    expect([dataDir, configDir].filter((folder) => !folder.startsWith(`${stateDirectory}/`))).toEqual([]);
    expect(Number.parseInt(settings.get("StateDirectoryMode")?.[0] ?? "777", 8) & 0o077).toBe(0);
    expect(Number.parseInt(settings.get("UMask")?.[0] ?? "000", 8) & 0o077).toBe(0o077);
  });

  test("gives the daemon longer to stop than it takes, and does not start again what cannot start", () => {
    const { damagedData, dataFolderInUse, refusedConfiguration } = daemonExitCodes;
    const never = settings.get("RestartPreventExitStatus")?.[0]?.split(" ").map(Number);

    // Runs in flight are only a part of it.
    expect(Number(settings.get("TimeoutStopSec")?.[0]) * 1_000).toBeGreaterThan(2 * RUN_GRACE_MS);
    expect(never?.sort()).toEqual([damagedData, dataFolderInUse, refusedConfiguration].sort());
  });

  test.skipIf(!has("systemd-analyze"))("is found in order by systemd-analyze verify, where that is installed", () => {
    using folder = tempDir();
    const program = join(folder.path, "mkt");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    const unit = join(folder.path, "mkt.service");
    writeFileSync(unit, read("docs/deploy/mkt.service").replace("/usr/local/bin/mkt", program));

    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });

    // Of this unit alone: what the machine's others say is its own affair.
    expect(stderr.split("\n").filter((line) => line.includes("mkt.service"))).toEqual([]);
    expect(status, stderr).toBe(0);
  });
});

describe("the reverse proxies", () => {
  test.each(["nginx.conf", "Caddyfile"])("%s has every brace closed, and speaks to the daemon's own port", (name) => {
    const text = read(`docs/deploy/${name}`).replaceAll(/^\s*#.*$/gm, "");

    expect(text.match(/\{/g)?.length).toBe(text.match(/\}/g)?.length);
    expect(text).toMatch(new RegExp(`\\b127\\.0\\.0\\.1:${DEFAULT_PORT}\\b`));
  });

  // That it keeps the host's name, and collects no answers, is tried where nginx is installed: proxies.test.ts.
  test("nginx.conf waits longer than any request may take", () => {
    const longestMs = 300_000;
    const config = read("docs/deploy/nginx.conf");

    expect(Number(/proxy_read_timeout (\d+)s;/.exec(config)?.[1]) * 1_000).toBeGreaterThan(longestMs);
  });

  test.skipIf(!has("nginx") || !has("openssl"))(
    "nginx.conf is found in order by nginx -t, where that is installed",
    () => {
      using folder = tempDir();
      const [key, certificate] = [join(folder.path, "key.pem"), join(folder.path, "certificate.pem")];
      const made = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        certificate,
        "-subj",
        "/CN=x",
      ];
      expect(spawnSync("openssl", made).status).toBe(0);
      const server = read("docs/deploy/nginx.conf")
        .replace(/ssl_certificate [^;]+;/, `ssl_certificate ${certificate};`)
        .replace(/ssl_certificate_key [^;]+;/, `ssl_certificate_key ${key};`);
      const whole = join(folder.path, "nginx.conf");
      writeFileSync(whole, `pid ${folder.path}/pid;\nevents {}\nhttp {\n${server}\n}\n`);

      const { status, stderr } = spawnSync("nginx", ["-t", "-p", folder.path, "-c", whole], { encoding: "utf8" });

      expect(status, stderr).toBe(0);
    },
  );

  test.skipIf(!has("caddy"))("Caddyfile is found in order by caddy validate, where that is installed", () => {
    const words = ["validate", "--adapter", "caddyfile", "--config", join(deploy, "Caddyfile")];

    const { status, stderr } = spawnSync("caddy", words, { encoding: "utf8" });

    expect(status, stderr).toBe(0);
  });
});

describe("the Dockerfile", () => {
  const lines = read("Dockerfile").replaceAll("\\\n", " ").split("\n");
  const instructions = lines.filter((line) => line !== "" && !line.startsWith("#"));

  test("has instructions that there are, and copies files that there are", () => {
    const known = /^(FROM|WORKDIR|COPY|RUN|USER|ENV|VOLUME|EXPOSE|HEALTHCHECK|CMD) /;
    const copied = instructions.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? []);

    expect(instructions.filter((line) => !known.test(line))).toEqual([]);
    expect(copied.length).toBeGreaterThan(0);
    for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
  });

  test("installs what the lockfile says, and runs no script of a package", () => {
    const installs = instructions.filter((line) => /^RUN .*\bnpm (?:ci|i|install)\b/.test(line));

    expect(installs.length).toBeGreaterThan(0);
    expect(installs.filter((line) => !/\bnpm ci --ignore-scripts\b/.test(line))).toEqual([]);
  });

  test("ends with a command that there is, as a user that is not root", async () => {
    const [, words = "[]"] = /^CMD (\[.*\])$/.exec(instructions.at(-1) ?? "") ?? [];
    const user = instructions.findLastIndex((line) => line.startsWith("USER "));

    expect(await unknownWords((JSON.parse(words) as string[]).join(" "))).toEqual([]);
    expect(words).toContain('"run"');
    expect(instructions[user]).not.toMatch(/^USER (?:root|0)\b/);
    expect(user).toBeGreaterThan(instructions.findLastIndex((line) => line.startsWith("FROM ")));
  });

  test("opens the port and keeps the folders that the daemon has by its environment", () => {
    const environment = environmentOf(
      instructions.filter((line) => line.startsWith("ENV ")).flatMap((line) => line.slice(4).trim().split(/\s+/)),
    );
    const { dataDir, configDir, port, host } = configOf(environment);
    const volumes = JSON.parse(instructions.find((line) => line.startsWith("VOLUME "))?.slice(7) ?? "[]") as string[];
    const asked = /http:\/\/127\.0\.0\.1:(\d+)(\/\w+)/.exec(lines.join("\n")) ?? [];

    expect(volumes).toEqual([dataDir, configDir]);
    expect(instructions).toContain(`EXPOSE ${port}`);
    expect(host).toBe("0.0.0.0");
    expect(asked.slice(1)).toEqual([String(port), operations.getHealth.path]);
  });

  test("sends neither what is built nor what is installed here to the engine", () => {
    expect(read(".dockerignore").split("\n")).toEqual(expect.arrayContaining([".git", "node_modules", "dist"]));
  });

  test.skipIf(spawnSync("docker", ["buildx", "version"]).status !== 0 || spawnSync("docker", ["info"]).status !== 0)(
    "is found in order by docker build --check, where there is an engine",
    () => {
      const { status, stderr } = spawnSync("docker", ["build", "--check", root], { encoding: "utf8" });

      expect(status, stderr).toBe(0);
    },
  );
});

/** `NAME=value`, as systemd and Docker write it. */
function environmentOf(settings: readonly string[]): Record<string, string> {
  return Object.fromEntries(settings.map((setting) => setting.split(/=(.*)/, 2) as [string, string]));
}

/** What the daemon makes of an environment. */
function configOf(environment: Readonly<Record<string, string>>): DaemonConfig {
  return parseDaemonConfig({}, { environment, bundledCatalogDir, version: "0.1.0" });
}

/** Settings of a unit by name, each with all of its values. */
function settingsOf(unit: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  for (const line of unit.split("\n")) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return settings;
}
