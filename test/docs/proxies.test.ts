import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import { askProxy, has, makeCertificate, MARKET, nginxWith, untilProxyAnswers } from "./behind-a-proxy.ts";

const deploy = new URL("../../docs/deploy/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, deploy), "utf8");

/** Why the proxy cannot be tried here; undefined when it can. */
function whyNot(program: string): string | undefined {
  const missing = [program, "openssl"].find((one) => !has(one));
  return missing === undefined ? undefined : `${missing} is not installed`;
}

interface Proxy {
  readonly program: string;
  /** The arguments that run the shipped file, changed where the machine is another: ports, certificates, folders. */
  configure(folder: string, market: { port: number; otherPort: number; daemonPort: number }): string[];
}

const nginx: Proxy = {
  program: "nginx",
  configure: (folder, { daemonPort, ...at }) =>
    nginxWith(folder, read("nginx.conf").replace("127.0.0.1:7717", `127.0.0.1:${daemonPort}`), at),
};

const caddy: Proxy = {
  program: "caddy",
  configure(folder, { port, daemonPort }) {
    const site = read("Caddyfile")
      .replace(`${MARKET} {`, `https://${MARKET}:${port} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem`)
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
    ["on the usual port, told by name alone", (_port: number) => `https://${MARKET}`],
    ["on another port, which the public address names", (port: number) => `https://${MARKET}:${port}`],
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
      await untilProxyAnswers(port);
    }, 60_000);

    afterAll(async () => {
      child?.kill("SIGTERM");
      await daemon[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    test("lets callers in under the name of the market", async () => {
      const host = new URL(publicUrlAt(port)).host;

      // Behind the usual port a browser names none; the port that this test has is only where the proxy stands.
      const answer = await askProxy(port, "/v1/auth/whoami", { host, key: daemon.key });

      expect(answer.body).toContain('"userId"');
      expect(answer.status).toBe(200);
    });

    test("lets a client in that names the port that it asked", async () => {
      const answer = await askProxy(port, "/v1/auth/whoami", { host: `${MARKET}:${port}`, key: daemon.key });

      expect({ status: answer.status }, answer.body).toEqual({ status: 200 });
    });

    test("lets probes know that the service is up", async () => {
      const answer = await askProxy(port, "/health", { host: `${MARKET}:${port}` });

      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ status: "ok", storage: "ok" });
    });
  });
});
