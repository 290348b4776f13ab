import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange, ticketOf } from "../console/sign-in.ts";
import { startOverHttp } from "../mcp/connect-mcp.ts";
import { type Browser, lacksBrowser, type Page, startBrowser } from "../support/browser.ts";
import { effort } from "../support/effort.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tried } from "./tried.ts";

/**
 * A web page tries what browsers let pages do, at the three ports that may be open on this machine. Whatever came of it, no
 * line was written, no provider called, and the page read nothing. docs/security.md, T1, T2 and T4.
 */

const HANG_MS = 180_000;
const attacks = readFileSync(new URL("browser/attacks.js", import.meta.url), "utf8");
const page = `<!doctype html><meta charset="utf-8"><title>A page</title><body><script>${attacks}</script>`;

describe.skipIf(lacksBrowser("attacks by a page of another origin"))(
  "a page of another origin",
  { timeout: HANG_MS },
  () => {
    const home = mktHome();
    const opened: AsyncDisposable[] = [];
    const use = <Opened extends AsyncDisposable>(one: Opened): Opened => {
      opened.push(one);
      return one;
    };
    let browser: Browser;
    let vendor: FakeProvider;
    let daemon: TestDaemon;
    let mcp: Awaited<ReturnType<typeof startOverHttp>>;
    let evil: Canary;
    let requestsSeen = 0;
    let attempts = 0;

    beforeAll(async () => {
      vendor = use(await startFakeProvider());
      vendor.on("GET /it", { json: { ok: true } });
      const endpoints = { "/it": { request: { method: "GET", path: "/it" }, price: { type: "FREE" } } };
      const startedAt = Date.now();
      daemon = use(
        await startTestDaemon({
          home,
          config: { consoleDir: consoleIn(home) },
          // It stands still, so that a ticket of the console is as good after the attacks as before.
          clock: { now: () => startedAt },
          manifests: { vendor: { http: { baseUrl: vendor.url, allowPrivateNetwork: true }, endpoints } },
          onLog: () => void requestsSeen++,
        }),
      );
      mcp = use(await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } }));
      evil = use(await startCanary());
      browser = use(await startBrowser({ hosts: ["evil.test"] }));
    }, HANG_MS);
    afterAll(async () => {
      for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    }, HANG_MS);

    /** Everything that would be different if anything had happened: the data folder's files, and what was asked of the provider. */
    const state = () => ({ files: digestsIn(home.dataDir), calls: vendor.calls.length });
    const targets = (): [string, string][] => [
      [daemon.url, daemon.key],
      [daemon.registryUrl, daemon.key],
      [new URL(mcp.url).origin, mcp.token],
    ];
    const at = (host: string) => evil.url.replace("127.0.0.1", host);
    /** A ticket of the console is among what has leaked; afterwards it is as nobody had tried it. */
    const attackFrom = async (from: Page, base: string, key: string, helper = evil.url) => {
      const ticket = await ticketOf(daemon.request);
      const before = state();
      const result = (await from.evaluate(`attack(${JSON.stringify({ base, helper, key, ticket })})`)) as Attack;
      expect(state()).toEqual(before);
      expect((await exchange(daemon.url, ticket)).status).toBe(201);
      return result;
    };

    test("gets through to a server that lets everybody in, by every way that is tried here", async () => {
      const victim = use(await startCanary());
      await using from = await browser.open();
      await from.goto(`${at("evil.test")}/`);

      const { read } = await attackFrom(from, victim.url, "x", at("evil.test"));

      const readBy = new Set(read.map(([what]) => what.split(" /")[0]));
      for (const way of ["fetch", "XMLHttpRequest", "POST", "XMLHttpRequest POST", "PUT", "DELETE"]) {
        expect(readBy).toContain(way);
      }
      expect([...new Set(victim.requests)].sort()).toEqual(expect.arrayContaining([...WAYS]));
    });

    // The first tries all ports, the others one each; the long form tries all from everywhere.
    test.each([
      ["of another site", () => at("evil.test"), () => targets()],
      ["of another program on this machine", () => evil.url, () => effort(targets().slice(0, 1), targets())],
      [
        "of another program on this machine that is called localhost",
        () => at("localhost"),
        () => effort(targets().slice(1, 2), targets()),
      ],
    ])("%s makes nothing happen and reads nothing", async (_title, origin, attacked) => {
      await using from = await browser.open();
      await from.goto(`${origin()}/`);

      await expectNothing(from, attacked());
    });

    test("without an origin, in a frame that may do nothing but run scripts, makes nothing happen and reads nothing", async () => {
      await using from = await browser.open();
      await from.goto(`${at("evil.test")}/sandboxed`);

      expect(await from.evaluate("origin")).toBe("null");
      await expectNothing(from, effort(targets().slice(2), targets()));
    });

    test("whose name was rebound to a port of ours is told nothing but that the service is up", async () => {
      for (const [base, key] of targets()) {
        const rebound = base.replace("127.0.0.1", "evil.test");
        await using from = await browser.open();
        await from.goto(`${rebound}/`, { html: page });

        const { read, tried: count } = await attackFrom(from, rebound, key);

        attempts += count;
        expect(await from.evaluate("origin")).toBe(rebound);
        // The page is of the same origin by now: it reads the refusals, and nothing else.
        expect(read.length).toBeGreaterThan(20);
        for (const [what, text] of read) {
          if (/ \/health\b/.test(what) && base === daemon.url)
            expect(text).toMatch(/^(?:200 )?\{"status":"ok"\}$|^403 /);
          else expect([what, text]).toEqual([what, expect.stringMatching(REFUSAL)]);
        }
      }
    });

    test("is refused where the test's own request with the key is not", async (context) => {
      const before = state();

      const answer = await daemon.request("POST", "/v1/run", { provider: "vendor", endpoint: "/it", input: {} });

      expect(answer.status).toBe(200);
      expect(state().calls).toBe(before.calls + 1);
      expect(state().files).not.toEqual(before.files);
      expect(requestsSeen).toBeGreaterThan(30);
      tried(context, attempts, "attempts of pages at three ports");
    });

    async function expectNothing(from: Page, attacked: readonly [string, string][]): Promise<void> {
      for (const [base, key] of attacked) {
        const { read, tried: count } = await attackFrom(from, base, key);

        attempts += count;
        expect(read).toEqual([]);
      }
    }
  },
);

/** The console as far as an attack could see it: a page that its own port serves. */
function consoleIn(home: MktHome): string {
  const folder = join(home.dataDir, "..", "console");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), '<!doctype html><html lang="en"><body>the console</body></html>');
  return folder;
}

/** What a page reads that is of the same origin by a rebound name: an error, wherever it is shown. */
const REFUSAL = /^(?:403 )?\{.*not a name of this service|^(?:403 )?\{.*The Host of a request must be one of/;

/** What Chromium sends for the attacks: method, what it is for, how, and the media type of the body. */
const WAYS: readonly string[] = [
  "DELETE empty cors application/json",
  "GET embed navigate",
  "GET empty cors",
  "GET empty no-cors",
  "GET iframe navigate",
  "GET image no-cors",
  "GET object navigate",
  "GET script cors",
  "GET script no-cors",
  "GET style no-cors",
  "GET video no-cors",
  "GET websocket",
  "OPTIONS empty cors",
  "PATCH empty cors application/json",
  "POST empty cors application/json",
  "POST empty cors text/plain",
  "POST empty no-cors",
  "POST empty no-cors text/plain",
  "POST iframe navigate application/x-www-form-urlencoded",
  "POST iframe navigate multipart/form-data",
  "POST iframe navigate text/plain",
  "PUT empty cors application/json",
];

interface Attack {
  readonly tried: number;
  /** What the page could read, and by which attempt. */
  readonly read: readonly (readonly [what: string, text: string])[];
}

interface Canary extends AsyncDisposable {
  readonly url: string;
  /** Kinds of the requests that came. */
  readonly requests: readonly string[];
}

/** A server that lets every page do and read everything; `/` and `/sandboxed` are the attacker's page, `/redirect` redirects. */
async function startCanary(): Promise<Canary> {
  const requests: string[] = [];
  const note = ({ method, headers }: IncomingMessage) => {
    const [type = ""] = (headers["content-type"] ?? "").split(";");
    const [mode, dest] = [headers["sec-fetch-mode"], headers["sec-fetch-dest"]];
    requests.push(
      [method, headers.upgrade ?? dest, mode, type].filter((part) => part !== undefined && part !== "").join(" "),
    );
  };
  const server = createServer((asked, answer) => {
    note(asked);
    asked.resume();
    const { pathname, searchParams } = new URL(asked.url ?? "/", "http://canary");
    const open = {
      "access-control-allow-origin": asked.headers.origin ?? "*",
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": "content-type, authorization",
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    };
    if (pathname === "/redirect") {
      answer.writeHead(Number(searchParams.get("status")), { ...open, location: searchParams.get("to") ?? "" }).end();
    } else if (asked.method === "GET" && (pathname === "/" || pathname === "/sandboxed")) {
      const csp = pathname === "/" ? {} : { "content-security-policy": "sandbox allow-scripts allow-forms" };
      answer.writeHead(200, { ...open, ...csp, "content-type": "text/html" }).end(page);
    } else {
      answer.writeHead(200, { ...open, "content-type": "application/json" }).end("{}");
    }
  });
  server.on("upgrade", (asked, socket) => {
    note(asked);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Every file below a folder with its content, so that a byte more is seen. */
function digestsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    // When the key of the test was used last, which the daemon notes whenever it likes.
    (entry) => entry.isFile() && entry.name !== "key-use.json",
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, createHash("sha256").update(readFileSync(path)).digest("hex")];
    }),
  );
}
