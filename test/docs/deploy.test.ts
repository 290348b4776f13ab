import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { followDocument } from "./follow-document.ts";

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

  test("runs the daemon in the foreground, as a user of its own, with folders that nobody else can read", () => {
    expect(settings.get("ExecStart")).toEqual(["/usr/local/bin/mkt daemon run"]);
    expect(settings.get("User")).toEqual(["mkt"]);
    expect(settings.get("StateDirectoryMode")).toEqual(["0700"]);
    expect(settings.get("Environment")).toEqual([
      "MKT_DATA_DIR=/var/lib/mkt/data",
      "MKT_CONFIG_DIR=/var/lib/mkt/config",
    ]);
  });

  test("gives the daemon longer to stop than it takes, and does not start again what cannot start", () => {
    expect(Number(settings.get("TimeoutStopSec")?.[0])).toBeGreaterThan(10);
    expect(settings.get("RestartPreventExitStatus")).toEqual(["65 75 78"]);
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
    expect(text).toContain("127.0.0.1:7717");
  });

  test("nginx.conf keeps the host's name and port, collects no answers, and waits as long as a run may be waited for", () => {
    const text = read("docs/deploy/nginx.conf");

    expect(text).toContain("proxy_set_header Host $http_host;");
    expect(text).toContain("proxy_buffering off;");
    expect(Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1])).toBeGreaterThan(300);
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

  test("builds with the lockfile and without install scripts, and runs as a user that is not root", () => {
    expect(instructions).toContain("RUN npm ci --ignore-scripts");
    expect(instructions.indexOf("USER node")).toBeLessThan(instructions.findIndex((line) => line.startsWith("CMD")));
    expect(instructions.at(-1)).toBe('CMD ["mkt", "daemon", "run", "--force-unlock"]');
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

/** Settings of a unit by name, each with all of its values. */
function settingsOf(unit: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  for (const line of unit.split("\n")) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return settings;
}
