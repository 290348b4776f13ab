import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";

const deploy = new URL("../../docs/deploy/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, deploy), "utf8");
const name = "market.example.org";

/** Why the proxy cannot be tried here; undefined when it can. */
function whyNot(program: string): string | undefined {
  const missing = [program, "openssl"].find((one) => spawnSync("sh", ["-c", `command -v ${one}`]).status !== 0);
  return missing === undefined ? undefined : `${missing} is not installed`;
}

interface Proxy {
  readonly program: string;
  /** The arguments that run the shipped file, changed where the machine is another: ports, certificates, folders. */
  configure(folder: string, market: { port: number; otherPort: number; daemonPort: number }): string[];
}

const nginx: Proxy = {
  program: "nginx",
  configure(folder, { port, otherPort, daemonPort }) {
    const server = read("nginx.conf")
      .replaceAll("listen 443", `listen ${port}`)
      .replaceAll("[::]:443", `[::]:${port}`)
      .replaceAll("listen 80", `listen ${otherPort}`)
      .replaceAll("[::]:80", `[::]:${otherPort}`)
      .replace("127.0.0.1:7717", `127.0.0.1:${daemonPort}`)
      .replace(/ssl_certificate [^;]+;/, `ssl_certificate ${folder}/certificate.pem;`)
      .replace(/ssl_certificate_key [^;]+;/, `ssl_certificate_key ${folder}/key.pem;`)
      .replaceAll(/^\s*listen \[::\].*\n/gm, "");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((one) => `${one}_temp_path ${folder}/${one};`)
      .join("\n");
    const whole = `pid ${folder}/pid;\ndaemon off;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}\n}\n`;
    writeFileSync(join(folder, "nginx.conf"), whole);
    return ["-p", folder, "-e", `${folder}/error.log`, "-c", join(folder, "nginx.conf")];
  },
};

const caddy: Proxy = {
  program: "caddy",
  configure(folder, { port, daemonPort }) {
    const site = read("Caddyfile")
      .replace(`${name} {`, `https://${name}:${port} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem`)
      .replace("127.0.0.1:7717", `127.0.0.1:${daemonPort}`);
    const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}/storage\n}\n`;
    writeFileSync(join(folder, "Caddyfile"), `${options}${site}`);
    return ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
  },
};

describe.each([nginx, caddy])("the shipped file of $program", (proxy) => {
  const reason = whyNot(proxy.program);
  if (reason !== undefined) process.stderr.write(`${proxy.program} as a proxy skipped: ${reason}\n`);

  describe.skipIf(reason !== undefined).each([
    ["on the usual port, told by name alone", (_port: number) => `https://${name}`],
    ["on another port, which the public address names", (port: number) => `https://${name}:${port}`],
  ])("%s", (_, publicUrlAt) => {
    const folder = tempDir("mkt-proxy-");
    let daemon: SpawnedDaemon;
    let child: ChildProcess | undefined;
    let port: number;

    beforeAll(async () => {
      port = await freePort();
      daemon = await spawnDaemon({ args: ["--public-url", publicUrlAt(port)] });
      makeCertificate(folder.path);
      const market = { port, otherPort: await freePort(), daemonPort: Number(new URL(daemon.url).port) };
      child = spawn(proxy.program, proxy.configure(folder.path, market), {
        stdio: "ignore",
        env: { ...process.env, HOME: folder.path },
      });
      await untilItAnswers(port);
    }, 60_000);

    afterAll(async () => {
      child?.kill("SIGTERM");
      await daemon[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    test("lets callers in under the name of the market", async () => {
      const host = new URL(publicUrlAt(port)).host;

      // Behind the usual port a browser names none; the port that this test has is only where the proxy stands.
      const answer = await ask(port, "/v1/auth/whoami", host, daemon.key);

      expect(answer.body).toContain('"userId"');
      expect(answer.status).toBe(200);
    });

    test("lets a client in that names the port that it asked", async () => {
      const answer = await ask(port, "/v1/auth/whoami", `${name}:${port}`, daemon.key);

      expect({ status: answer.status }, answer.body).toEqual({ status: 200 });
    });

    test("lets probes know that the service is up", async () => {
      const answer = await ask(port, "/health", `${name}:${port}`);

      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ status: "ok", storage: "ok" });
    });
  });
});

function makeCertificate(folder: string): void {
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", `/CN=${name}`];
  const files = ["-addext", `subjectAltName=DNS:${name}`, "-keyout", `${folder}/key.pem`, "-out"];
  const { status, stderr } = spawnSync("openssl", [...words, ...files, `${folder}/certificate.pem`]);
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr.toString()}`);
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

async function ask(port: number, path: string, host: string, key?: string): Promise<Answer> {
  const headers = { host, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  return await new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, headers, servername: name, rejectUnauthorized: false };
    const asked = request(options, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.once("end", () => resolve({ status: response.statusCode, body }));
    });
    asked.once("error", reject).end();
  });
}

async function untilItAnswers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await ask(port, "/health", name).catch(() => undefined);
    if (answer !== undefined && answer.status !== 502) return;
    await delay(50);
  }
  throw new Error("the proxy did not answer");
}
