import { statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, test, describe } from "vitest";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startOverHttp } from "./connect-mcp.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request with exactly these headers. */
async function send(
  url: string,
  {
    method = "POST",
    headers = {},
    body = initialize,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers: { ...jsonHeaders, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.once("error", reject);
    sent.end(method === "POST" ? body : undefined);
  });
}

const jsonHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});

describe("who may speak to mkt mcp --http", () => {
  test("only who has the token", async () => {
    await using server = await startOverHttp({});

    const none = await send(server.url);
    const wrong = await send(server.url, { headers: { authorization: `Bearer ${"x".repeat(server.token.length)}` } });
    const right = await send(server.url, { headers: { authorization: `Bearer ${server.token}` } });

    expect(none).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
    expect(wrong.status).toBe(401);
    expect(right.status).toBe(200);
    expect(right.headers).not.toHaveProperty("mcp-session-id");
  });

  test.each([
    ["a page whose name was rebound to this machine", { host: "evil.example:7719" }],
    ["another port's name", { host: "127.0.0.1:1" }],
    ["a page of another origin", { origin: "https://evil.example" }],
    ["a page of another program on this machine", { origin: "http://localhost:3000" }],
    ["a page from a file", { origin: "null" }],
  ])("not %s, even with the token", async (_, headers) => {
    await using server = await startOverHttp({});

    const answer = await send(server.url, { headers: { authorization: `Bearer ${server.token}`, ...headers } });

    expect(answer.status).toBe(403);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } });
  });

  test.each([
    ["an Origin that begins like its own", (own: string) => ({ origin: `http://${own}.evil.example` })],
    ["an Origin whose port begins like its own", (own: string) => ({ origin: `http://${own}0` })],
    ["an Origin that ends like its own", (own: string) => ({ origin: `http://evil.example/?http://${own}` })],
    ["its own Origin in another scheme", (own: string) => ({ origin: `https://${own}` })],
    ["its own Origin with a path", (own: string) => ({ origin: `http://${own}/` })],
    ["a Host that begins like its own", (own: string) => ({ host: `${own}.evil.example` })],
    ["a Host that ends like its own", (own: string) => ({ host: `evil-${own}` })],
  ])("nobody with %s, even with the token", async (_, headersOf) => {
    await using server = await startOverHttp({});
    const headers = headersOf(new URL(server.url).host);

    const answer = await send(server.url, { headers: { authorization: `Bearer ${server.token}`, ...headers } });

    expect(answer.status).toBe(403);
  });

  test.each([
    ["two Hosts, the right one first", (own: string) => [own, "Host: evil.example"]],
    ["two Hosts, the right one last", (own: string) => ["Host: evil.example", own]],
    ["two Origins", (own: string) => [own, "Origin: null", "Origin: null"]],
    ["two credentials", (own: string) => [own, "Authorization: Bearer other"]],
    ["two sessions", (own: string) => [own, "Mcp-Session-Id: one", "Mcp-Session-Id: two"]],
  ])("nobody with %s", async (_, headers) => {
    await using server = await startOverHttp({});
    const { port, host } = new URL(server.url);

    const answer = await rawRequest(
      Number(port),
      rawHead("POST /mcp HTTP/1.1", ...headers(`Host: ${host}`), `Authorization: Bearer ${server.token}`),
    );

    expect(answer.status).toBe(400);
  });

  test("nobody whose second Host or Origin is behind 2,000 short headers", async () => {
    await using server = await startOverHttp({});
    const { port, host } = new URL(server.url);
    const fillers = Array.from({ length: 2_000 }, () => "a:");
    const behind = async (...headers: string[]) =>
      await rawRequest(
        Number(port),
        rawHead(
          "POST /mcp HTTP/1.1",
          `Host: ${host}`,
          `Authorization: Bearer ${server.token}`,
          "Content-Length: 0",
          ...fillers,
          ...headers,
        ),
      );

    expect((await behind("Host: evil.example")).status).toBe(431);
    expect((await behind("Origin: https://evil.example")).status).toBe(431);
  });

  test("a page of its own origin may, by each of its names", async () => {
    await using server = await startOverHttp({});
    const { port } = new URL(server.url);

    for (const name of ["127.0.0.1", "localhost"]) {
      const headers = {
        authorization: `Bearer ${server.token}`,
        host: `${name}:${port}`,
        origin: `http://${name}:${port}`,
      };
      expect((await send(server.url, { headers })).status).toBe(200);
    }
  });
});

describe("the token", () => {
  test("is in a file of its owner's alone, and the same the next time", async () => {
    using folder = tempDir();
    const env = { MKT_CONFIG_DIR: join(folder.path, "config") };

    let first = "";
    {
      await using server = await startOverHttp({ env });
      first = server.token;
      expect(statSync(server.tokenFile).mode & 0o777).toBe(0o600);
      expect(server.stdout()).not.toContain(first);
      expect(server.stderr()).not.toContain(first);
    }
    await using again = await startOverHttp({ env });

    expect(first.length).toBeGreaterThan(40);
    expect(again.token).toBe(first);
  });

  test("is made in the file that was named, with its folder", async () => {
    using folder = tempDir();
    const file = join(folder.path, "new", "token");
    await using server = await startOverHttp({ words: ["--token-file", file] });

    expect(server.tokenFile).toBe(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("in a file that others may read, or that holds something else, is refused", async () => {
    using folder = tempDir();
    const [shared, odd] = [join(folder.path, "shared"), join(folder.path, "odd")];
    writeFileSync(shared, `${"a".repeat(40)}\n`, { mode: 0o644 });
    writeFileSync(odd, "two words\n", { mode: 0o600 });

    const ofShared = await runMkt(["mcp", "--http", "--port", "0", "--token-file", shared]);
    const ofOdd = await runMkt(["mcp", "--http", "--port", "0", "--token-file", odd]);

    expect(ofShared).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(`chmod 600 ${shared}`) });
    expect(ofOdd).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("one token of at least 20") });
  });
});

describe("sessions", () => {
  test("there are none: a client of the earlier protocol needs none, and one that names one is answered", async () => {
    await using server = await startOverHttp({});
    const authorization = `Bearer ${server.token}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

    const without = await send(server.url, { headers: { authorization }, body });
    const withOne = await send(server.url, { headers: { authorization, "mcp-session-id": "some" }, body });

    expect([without.status, withOne.status]).toEqual([200, 200]);
  });

  test.each(["GET", "DELETE"])("%s, which was for sessions, is not taken", async (method) => {
    await using server = await startOverHttp({});

    const answer = await send(server.url, { method, headers: { authorization: `Bearer ${server.token}` } });

    expect(answer).toMatchObject({ status: 405, headers: { allow: "POST" } });
  });
});

describe("what else is asked for there", () => {
  test.each([
    ["another path", "POST", "/other", 404],
    ["another method", "PUT", "/mcp", 405],
  ])("%s", async (_, method, path, status) => {
    await using server = await startOverHttp({});

    const answer = await send(new URL(path, server.url).href, {
      method,
      headers: { authorization: `Bearer ${server.token}` },
    });

    expect(answer.status).toBe(status);
  });

  test("a port that is taken is said, with the next command", async () => {
    await using server = await startOverHttp({});

    const second = await runMkt(["mcp", "--http", "--port", new URL(server.url).port]);

    expect(second.exitCode).toBe(78);
    expect(second.stderr).toMatch(/is taken[\s\S]*next: mkt mcp --http --port 0/);
  });

  test("flags of HTTP without --http are wrong usage", async () => {
    expect(await runMkt(["mcp", "--port", "7000"])).toMatchObject({ exitCode: 2 });
    expect(await runMkt(["mcp", "--http", "--port", "70000"])).toMatchObject({ exitCode: 2 });
  });
});
