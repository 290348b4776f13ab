import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { describe, expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { certificateMaker, hasOpenssl } from "./certificates.ts";

interface Proxy extends AsyncDisposable {
  url: string;
  /** What it was asked, such as `CONNECT market.example.org:443`. */
  asked: string[];
  /** The credentials that came with it. */
  credentials: (string | undefined)[];
}

/** A real forward proxy; every name leads to this port of this machine. `refuse` is the status it answers instead. */
async function startProxy(targetPort: number, refuse?: number): Promise<Proxy> {
  const [asked, credentials]: [string[], (string | undefined)[]] = [[], []];
  const take = ({ method, url, headers }: IncomingMessage) => {
    asked.push(`${method} ${url}`);
    credentials.push(headers["proxy-authorization"]);
  };
  const server = createServer((incoming, answer) => {
    take(incoming);
    if (refuse !== undefined) return void answer.writeHead(refuse).end("no");
    const { pathname, search } = new URL(incoming.url ?? "");
    const headers = { ...incoming.headers, host: `127.0.0.1:${targetPort}` };
    const options = { port: targetPort, path: pathname + search, method: incoming.method, headers };
    const outgoing = httpRequest(options, (got) => got.pipe(answer.writeHead(got.statusCode ?? 502, got.headers)));
    incoming.pipe(outgoing);
  });
  const open = new Set<Duplex>();
  server.on("connect", (incoming: IncomingMessage, socket: Duplex) => {
    take(incoming);
    open.add(socket);
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
    const target = connect(targetPort, "127.0.0.1", () => socket.write("HTTP/1.1 200 Connected\r\n\r\n"));
    open.add(target);
    for (const one of [socket, target]) one.on("error", () => {});
    socket.pipe(target).pipe(socket);
  });
  const { port, close } = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    credentials,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await close();
    },
  };
}

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const market = "http://market.example.org";

describe("a proxy in the environment", () => {
  test.each(["HTTP_PROXY", "http_proxy"])("is used for http where %s names it", async (variable) => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using proxy = await startProxy(Number(new URL(daemon.url).port));
    const env = { MKT_API_URL: market, MKT_API_KEY: daemon.key, [variable]: proxy.url };

    const whoami = await runMkt(["whoami", "--json"], { env });
    const run = await runMkt(["run", "atlas/sun", "latitude=38.7", "longitude=-9.1", "--json"], { env });

    expect(whoami.exitCode, whoami.stderr).toBe(0);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(proxy.asked[0]).toBe(`GET ${market}/v1/auth/whoami`);
    expect(proxy.asked).toContain(`POST ${market}/v1/run`);
  });

  test("takes what is exported, too, and its user name and password are sent to it", async () => {
    await using daemon = await startTestDaemon();
    await using proxy = await startProxy(Number(new URL(daemon.url).port));
    const env = {
      MKT_API_URL: market,
      MKT_API_KEY: daemon.key,
      HTTP_PROXY: proxy.url.replace("//", "//me:pass%20word@"),
    };

    const { exitCode, stdout, stderr } = await runMkt(["runs", "export", "--format", "csv"], { env });

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain("runId");
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from("me:pass word").toString("base64")}`]);
  });

  test.each([
    ["this very machine", { MKT_API_URL: "" }, ""],
    ["what NO_PROXY names", {}, "example.net,127.0.0.1"],
  ])("is not used for %s", async (_what, overrides, noProxy) => {
    await using daemon = await startTestDaemon();
    await using proxy = await startProxy(1);
    const env = { MKT_API_KEY: daemon.key, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: noProxy };

    const { exitCode, stderr } = await runMkt(["whoami", "--api-url", daemon.url], { env: { ...env, ...overrides } });

    expect(exitCode, stderr).toBe(0);
    expect(proxy.asked).toEqual([]);
  });

  test("NO_PROXY names hosts that are asked straight away, also by their domain", async () => {
    await using proxy = await startProxy(1);
    const env = { MKT_API_URL: "http://market.invalid", MKT_API_KEY: "k1", HTTP_PROXY: proxy.url };

    const { exitCode, stderr } = await runMkt(["whoami"], { env: { ...env, NO_PROXY: ".invalid" } });

    expect(exitCode).toBe(9);
    expect(stderr).toContain("market.invalid");
    expect(proxy.asked).toEqual([]);
  });

  test("that does not answer is named, without its password, and how to do without it", async () => {
    const env = { MKT_API_URL: market, MKT_API_KEY: "k1", http_proxy: "http://me:s3cret@127.0.0.1:1" };

    const { exitCode, stderr } = await runMkt(["whoami"], { env });

    expect(exitCode).toBe(9);
    expect(stderr).toContain("The proxy http://127.0.0.1:1 (http_proxy) cannot be reached");
    expect(stderr).toContain("next: export NO_PROXY=market.example.org");
    expect(stderr).not.toContain("s3cret");
  });

  test("with an address that is none is told", async () => {
    const env = { MKT_API_URL: market, MKT_API_KEY: "k1", HTTP_PROXY: "proxy:3128" };

    const { exitCode, stderr } = await runMkt(["whoami"], { env });

    expect(exitCode).toBe(9);
    expect(stderr).toContain("HTTP_PROXY must be the address of a proxy, such as http://proxy.example:3128");
  });

  test.each([
    [407, "It requires a user name and a password", "export HTTPS_PROXY=http://<user>:<password>@<proxy>"],
    [403, "refused the connection with 403", "export NO_PROXY=market.example.org"],
  ])("that answers %i to a tunnel is told", async (status, words, next) => {
    await using proxy = await startProxy(1, status);
    const env = { MKT_API_URL: "https://market.example.org", MKT_API_KEY: "k1", HTTPS_PROXY: proxy.url };

    const { exitCode, stderr } = await runMkt(["whoami"], { env });

    expect(exitCode).toBe(9);
    expect(stderr).toContain(words);
    expect(stderr).toContain(`next: ${next}`);
    expect(proxy.asked).toEqual(["CONNECT market.example.org:443"]);
  });
});

test.skipIf(!hasOpenssl)("https goes through a tunnel, and the proxy sees nothing of it (needs openssl)", async () => {
  using folder = tempDir();
  using home = mktHome();
  const make = certificateMaker(folder.path);
  const { certFile } = make.authority();
  const { key, cert } = make.signed("market", "DNS:market.example.org");
  const caller = { user: { userId: "u1", username: "ada" } };
  const target = createHttpsServer({ key, cert }, (_request, response) => response.end(JSON.stringify(caller)));
  const { port, close } = await listen(target);
  await using proxy = await startProxy(port);
  const whoamiAt = (MKT_API_URL: string) =>
    spawnMkt(["whoami", "--json"], {
      home,
      environment: { MKT_API_URL, MKT_API_KEY: "k1", HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: certFile },
    });

  const { code, stdout, stderr } = await whoamiAt("https://market.example.org/mkt");
  const wrongName = await whoamiAt("https://other.example.org");
  await close();

  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual(caller);
  expect(proxy.asked[0]).toBe("CONNECT market.example.org:443");
  expect(wrongName.code).toBe(9);
  expect(wrongName.stderr).toContain("is for market.example.org and not for other.example.org");
});
