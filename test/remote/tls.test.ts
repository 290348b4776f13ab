import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Server as NetServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explainTls } from "../../cli/failure/tls-words.ts";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Certificate, certificateMaker, hasOpenssl } from "./certificates.ts";

const caller = { user: { userId: "u1", username: "ada" } };

/** A real HTTPS server on 127.0.0.1 that answers whoami. */
async function serve(server: NetServer): Promise<{ port: number; [Symbol.asyncDispose](): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      (server as Server).closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function httpsServer({ key, cert }: Certificate): Server {
  return createServer({ key, cert }, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(caller));
  });
}

async function whoamiAt(url: string) {
  return await runMkt(["whoami"], { env: { MKT_API_URL: url, MKT_API_KEY: "k1" } });
}

describe.skipIf(!hasOpenssl)("over TLS (needs openssl)", () => {
  let folder: ReturnType<typeof tempDir>;
  let authority: Certificate;
  let make: ReturnType<typeof certificateMaker>;

  beforeAll(() => {
    folder = tempDir();
    make = certificateMaker(folder.path);
    authority = make.authority();
  });
  afterAll(() => folder[Symbol.dispose]());

  test("a self-signed certificate is told as one, with the variable that names it", async () => {
    await using server = await serve(httpsServer(make.selfSigned("IP:127.0.0.1")));

    const { exitCode, stderr } = await whoamiAt(`https://127.0.0.1:${server.port}`);

    expect(exitCode).toBe(9);
    expect(stderr).toContain(`The certificate of 127.0.0.1:${server.port} is self-signed`);
    expect(stderr).toContain("next: NODE_EXTRA_CA_CERTS=<file> mkt whoami");
  });

  test("of an authority that is not known: what to take and where to name it; then it works", async () => {
    using home = mktHome();
    await using server = await serve(httpsServer(make.signed("known", "IP:127.0.0.1")));
    const url = `https://127.0.0.1:${server.port}`;

    const refused = await whoamiAt(url);
    const mended = await spawnMkt(["whoami", "--json"], {
      home,
      environment: { MKT_API_URL: url, MKT_API_KEY: "k1", NODE_EXTRA_CA_CERTS: authority.certFile },
    });

    expect(refused.exitCode).toBe(9);
    expect(refused.stderr).toContain("signed by an unknown authority");
    expect(refused.stderr).toContain("next: NODE_EXTRA_CA_CERTS=<file> mkt whoami");
    expect(mended.stderr).toBe("");
    expect(JSON.parse(mended.stdout)).toEqual(caller);
  });

  test.each([
    ["expired", { from: "20200101000000Z", to: "20200102000000Z" }, "has expired", /next: openssl s_client -connect/],
    ["not yet valid", { from: "20900101000000Z", to: "20910101000000Z" }, "is not valid yet", /next: date/],
  ])("a certificate that is %s", async (name, dates, words, next) => {
    using home = mktHome();
    await using server = await serve(httpsServer(make.signed(name.replaceAll(" ", "-"), "IP:127.0.0.1", dates)));

    const { code, stderr } = await spawnMkt(["whoami"], {
      home,
      environment: {
        MKT_API_URL: `https://127.0.0.1:${server.port}`,
        MKT_API_KEY: "k1",
        NODE_EXTRA_CA_CERTS: authority.certFile,
      },
    });

    expect(code).toBe(9);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(next);
  });

  test("a certificate for another name: for which it is, and the log-in there, which takes no key along", async () => {
    using home = mktHome();
    const names = "DNS:market.example.org,DNS:other.example.org";
    await using server = await serve(httpsServer(make.signed("other", names)));

    const { code, stderr } = await spawnMkt(["whoami"], {
      home,
      environment: {
        MKT_API_URL: `https://127.0.0.1:${server.port}/mkt`,
        MKT_API_KEY: "k1",
        NODE_EXTRA_CA_CERTS: authority.certFile,
      },
    });

    expect(code).toBe(9);
    expect(stderr).toContain("is for market.example.org, other.example.org and not for 127.0.0.1");
    expect(stderr).toContain(`next: mkt login --api-url https://market.example.org:${server.port}/mkt`);
  });

  test("http where https is spoken", async () => {
    await using server = await serve(httpsServer(make.selfSigned("IP:127.0.0.1")));

    const { exitCode, stderr } = await whoamiAt(`http://127.0.0.1:${server.port}/mkt`);

    expect(exitCode).toBe(9);
    expect(stderr).toContain("speaks https, and the address says http");
    expect(stderr).toContain(`next: mkt whoami --api-url https://127.0.0.1:${server.port}/mkt`);
  });
});

test("https where http is spoken", async () => {
  await using server = await serve(createHttpServer());

  const { exitCode, stderr } = await whoamiAt(`https://127.0.0.1:${server.port}/mkt/`);

  expect(exitCode).toBe(9);
  expect(stderr).toContain(`127.0.0.1:${server.port} does not speak https`);
  expect(stderr).toContain(`next: mkt whoami --api-url http://127.0.0.1:${server.port}/mkt`);
});

test("where no https is spoken on another machine, no command sends the key over http", () => {
  const thrown = Object.assign(new Error("wrong version number"), { code: "ERR_SSL_WRONG_VERSION_NUMBER" });

  const explained = explainTls("https://market.example.org/mkt", thrown);

  expect(explained).toEqual({
    why: expect.stringContaining("Over http, others on the network can read your key."),
    next: "curl http://market.example.org/mkt/health",
  });
});

test.each([
  "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
  "Client sent an HTTP request to an HTTPS server.\n",
])("http where a proxy says that it speaks https: %s", async (text) => {
  const proxy = createHttpServer((_request, response) => response.writeHead(400).end(text));
  await using server = await serve(proxy);

  const { exitCode, stderr } = await whoamiAt(`http://127.0.0.1:${server.port}`);

  expect(exitCode).toBe(9);
  expect(stderr).toContain(`next: mkt whoami --api-url https://127.0.0.1:${server.port}`);
});
