import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";

const script = "export const answer = 42;\n".repeat(20);
const folder = tempDir();
let daemon: TestDaemon;
beforeAll(async () => {
  const assets = join(folder.path, "assets");
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(folder.path, "index.html"), '<!doctype html><html lang="en"><head></head><body></body></html>');
  writeFileSync(join(folder.path, "secret.js"), "not an asset");
  writeFileSync(join(assets, "index.a1B2.js"), script);
  writeFileSync(join(assets, "index.a1B2.js.br"), brotliCompressSync(script));
  writeFileSync(join(assets, "index.a1B2.js.gz"), gzipSync(script));
  writeFileSync(join(assets, "plain.c3.css"), "body{}");
  daemon = await startTestDaemon({ config: { consoleDir: folder.path } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request with exactly these headers and this path; its body stays as it came. */
async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<RawAnswer> {
  const { hostname: host, port } = new URL(daemon.url);
  return await new Promise((resolve, reject) => {
    const asked = httpRequest({ host, port, path, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on("error", reject);
    asked.end();
  });
}

describe("the console's page", () => {
  test("comes with a policy that lets nothing in, and is kept by no cache", async () => {
    const { status, headers, text } = await request(`${daemon.url}/console/`);

    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
      "cache-control": "no-store",
    });
    expect(headers.has("set-cookie")).toBe(false);
    expect(headers.has("access-control-allow-origin")).toBe(false);
    expect(text).toContain('lang="en">');
  });

  test("is found without the slash too, by an address relative to where the service is", async () => {
    const { status, headers } = await ask("/console");

    expect(status).toBe(302);
    expect(headers.location).toBe("console/");
  });

  test("says when another site sent the browser, so that it takes no ticket from there", async () => {
    const window = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const from = async (site: string) =>
      (await ask("/console/", { ...window, "sec-fetch-site": site })).body.toString();

    // Plain http from another machine: the browser says nothing.
    expect((await ask("/console/")).body.toString()).toContain('<html data-from="unknown" lang="en">');
    expect(await from("none")).not.toContain("data-from");
    expect(await from("same-origin")).not.toContain("data-from");
    expect(await from("same-site")).toContain('<html data-from="elsewhere" lang="en">');
    expect(await from("cross-site")).toContain('<html data-from="elsewhere" lang="en">');
  });

  test("is not there on the registry's port", async () => {
    const answers = await Promise.all(
      ["/console", "/console/", "/console/assets/index.a1B2.js"].map((path) => request(`${daemon.registryUrl}${path}`)),
    );

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test("is missed with a clear text where the installation has none", async () => {
    await using bare = await startTestDaemon({ config: { consoleDir: join(folder.path, "nowhere") } });

    const answer = await request(`${bare.url}/console/`);

    expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining("has no console") } });
  });
});

describe("a file of the console", () => {
  test("may be kept forever, and comes packed as the browser likes it", async () => {
    const [br, gzip, plain, refused] = await Promise.all(
      ["gzip, deflate, br", "gzip", "", "br;q=0, gzip;q=0.0"].map(async (encodings) =>
        ask("/console/assets/index.a1B2.js", encodings === "" ? {} : { "accept-encoding": encodings }),
      ),
    );

    expect(br?.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "br",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    });
    expect(brotliDecompressSync(br?.body ?? Buffer.alloc(0)).toString()).toBe(script);
    expect(gunzipSync(gzip?.body ?? Buffer.alloc(0)).toString()).toBe(script);
    expect(plain?.body.toString()).toBe(script);
    expect(refused?.headers["content-encoding"]).toBeUndefined();
    expect((await ask("/console/assets/plain.c3.css", { "accept-encoding": "br" })).body.toString()).toBe("body{}");
  });

  test.each([
    "/console/assets/../index.html",
    "/console/assets/..%2findex.html",
    "/console/assets/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/console/assets/%2e%2e/secret.js",
    "/console/assets/index.a1B2.js.br",
    "/console/assets/index.a1B2.js%00.css",
    "/console/assets//etc/passwd",
    "/console/assets/",
    "/console/assets/gone.a1.js",
    "/console/secret.js",
    "/console/index.html",
  ])("is one of its assets alone, not %s", async (path) => {
    const { status, body } = await ask(path);

    expect(status).toBe(404);
    expect(body.toString()).not.toContain("not an asset");
  });
});

describe("a page of another origin", () => {
  const cross = { "sec-fetch-site": "cross-site" };
  const window = { ...cross, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  test.each([
    ["frames it", "/console/", { ...cross, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
    ["fetches it", "/console/", { ...cross, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" }],
    ["fetches it with its origin", "/console/", { ...cross, origin: "https://evil.example", "sec-fetch-mode": "cors" }],
    ["has no origin that it would name", "/console/", { ...window, origin: "null" }],
    ["loads its script", "/console/assets/index.a1B2.js", { ...cross, "sec-fetch-mode": "no-cors" }],
    ["goes to a file", "/console/assets/index.a1B2.js", window],
    ["goes to the API", "/v1/runs", window],
    ["has its name rebound to this machine", "/console/", { host: "evil.example:7717" }],
  ])("gets nothing when it %s", async (_, path, headers) => {
    const { status, body } = await ask(path, headers);

    expect(status).toBe(403);
    expect(body.toString()).not.toContain("<html");
  });

  test.each([
    ["POST", "/v1/console/tickets", "text/plain"],
    ["POST", "/v1/console/sessions", "application/x-www-form-urlencoded"],
    ["POST", "/v1/console/sessions", "application/json"],
    ["DELETE", "/v1/console/session", "application/json"],
  ])("has no effect by %s %s as %s", async (method, path, type) => {
    for (const origin of ["https://evil.example", "null", "http://localhost:3000", "file://"]) {
      const { status } = await ask(path, { origin, "content-type": type, ...cross }, method);

      expect(status).toBe(403);
    }
  });

  test("may send a person to the console, and nowhere else", async () => {
    expect((await ask("/console/", window)).status).toBe(200);
    expect((await ask("/console", window)).status).toBe(302);
    expect((await ask("/console/?code=x&state=y", window)).status).toBe(200);
    expect((await ask("/console/x", window)).status).toBe(403);
    expect((await ask("/console/", window, "POST")).status).toBe(403);
  });
});
