import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type FakeAnswer, startFakeProvider } from "../support/fake-provider.ts";
import { type SpawnedDaemon, spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { SPELLINGS } from "../support/spellings.ts";

/** Of one secret every sign that is awkward anywhere; the other one may stand in a header. docs/security.md, T17. */
const awkward = `Qx7kPw+Zr/2Lm=&<>"' \u00e9Tn9vBd`;
const plain = "Hd5rYu8+wQ2/Jf6Kx3==";
const short = "data";

const all = SPELLINGS.map(([name, spell]) => ({ name, text: spell(awkward) }));

/** Where a provider can put a secret: its answer to the endpoint of that name. */
const PLACES: Readonly<Record<string, FakeAnswer | ((spelled: string) => FakeAnswer)>> = {
  values: (spelled) => ({ json: { data: { deep: [{ said: `x${spelled}y` }] } } }),
  names: (spelled) => ({ json: { [`x${spelled}y`]: 1 } }),
  text: (spelled) => ({ text: `x ${spelled} y`, headers: { "content-type": "text/plain; charset=utf-8" } }),
  message: (spelled) => ({ status: 400, json: { error: { message: `bad key ${spelled} used` } } }),
  "message-at-its-cut": (spelled) => ({ status: 400, json: { message: `${"bad key ".repeat(249)}${spelled} used` } }),
  "error-text": (spelled) => ({ status: 500, text: `bad key ${spelled} used` }),
  "broken-json": (spelled) => ({
    status: 401,
    text: `{"key": "${spelled}`,
    headers: { "content-type": "application/json" },
  }),
  "chunk-border": (spelled) => ({ text: "x ".repeat(32_766) + spelled, headers: { "content-type": "text/plain" } }),
  bytes: (spelled) => ({ bytes: Buffer.from(`\0\x01${spelled}`), headers: { "content-type": "application/x-bytes" } }),
  utf16: { bytes: Buffer.from(`\ufeffkey: ${awkward}.`, "utf16le"), headers: { "content-type": "text/plain" } },
  "utf16-big": {
    bytes: Buffer.from(`\ufeffkey: ${awkward}.`, "utf16le").swap16(),
    headers: { "content-type": "text/plain" },
  },
  "utf16-declared": {
    bytes: Buffer.from(`key: ${awkward}.`, "utf16le"),
    headers: { "content-type": "text/plain; charset=utf-16le" },
  },
  "utf16-bytes": {
    bytes: Buffer.from(`\0key: ${awkward}.`, "utf16le"),
    headers: { "content-type": "application/x-bytes" },
  },
  "content-type": { bytes: Buffer.from([0, 1, 2]), headers: { "content-type": `application/${plain}` } },
  "content-type-of-an-error": { status: 500, bytes: Buffer.from([0, 1]), headers: { "content-type": `${plain}/x` } },
  "content-encoding": { text: "x", headers: { "content-encoding": plain } },
  location: {
    status: 302,
    headers: { location: `https://vendor.example/?key=${plain}` },
    json: { to: `/?k=${plain}` },
  },
  "other-headers": { status: 429, headers: { "retry-after": plain, "x-key": plain, "set-cookie": plain }, text: plain },
};

/** Each place with each spelling, where it depends on one. */
const cases = Object.entries(PLACES).flatMap(([place, answer]) =>
  typeof answer === "function"
    ? all.map(({ name, text }, index) => ({
        path: `/${place}/${index}`,
        title: `${place}, ${name}`,
        answer: answer(text),
      }))
    : [{ path: `/${place}/0`, title: place, answer }],
);

describe("a secret that its provider gives back", () => {
  let vendor: Awaited<ReturnType<typeof startFakeProvider>>;
  let daemon: SpawnedDaemon;
  const answers: { title: string; text: string }[] = [];

  beforeAll(async () => {
    vendor = await startFakeProvider();
    for (const { path, answer } of cases) vendor.on(`GET ${path}`, answer);
    vendor.on("GET /short", { json: { said: "data of a database" } });
    vendor.on("POST /token", {
      status: 400,
      json: { error: "invalid_client", error_description: `secret ${awkward}` },
    });
    vendor.on("POST /jobs", { json: { id: "j1", link: `/r?k=${plain}`, said: awkward } });
    vendor.on("GET /jobs/j1", { json: { state: "failed", why: `no: ${encodeURIComponent(awkward).toLowerCase()}` } });
    const get = (path: string) => ({ request: { method: "GET", path }, price: { type: "FREE" } });
    const http = {
      baseUrl: vendor.url,
      allowPrivateNetwork: true,
      retry: { attempts: 1 },
      auth: { type: "apiKey", in: "header", name: "x-key", value: "${secret.plain}" },
    };
    daemon = await spawnDaemon({
      environment: { ECHO_AWKWARD: awkward, ECHO_PLAIN: plain, ECHO_SHORT: short, MKT_RATE_LIMIT: "100000" },
      manifests: {
        echo: {
          secrets: {
            awkward: { env: "ECHO_AWKWARD" },
            plain: { env: "ECHO_PLAIN" },
            short: { env: "ECHO_SHORT" },
          },
          http,
          endpoints: {
            ...Object.fromEntries([...cases.map(({ path }) => path), "/short"].map((path) => [path, get(path)])),
            "/job": {
              request: { method: "POST", path: "/jobs" },
              price: { type: "FREE" },
              async: {
                start: { id: "$.id", keep: { link: "$.link", said: "$.said" } },
                poll: {
                  method: "GET",
                  path: "/jobs/${run.externalId}",
                  status: "$.state",
                  message: "$.why",
                  everyMs: 100,
                  states: { done: ["done"], failed: ["failed"] },
                },
              },
            },
          },
        },
        token: {
          secrets: { awkward: { env: "ECHO_AWKWARD" } },
          http: {
            ...http,
            auth: {
              type: "clientCredentials",
              tokenUrl: `${vendor.url}/token`,
              clientId: "me",
              clientSecret: "${secret.awkward}",
            },
          },
          endpoints: { "/x": get("/x") },
        },
      },
    });
    for (const { path, title } of cases) await run("echo", path, title);
    await run("token", "/x", "a token that is refused");
    const { runId } = JSON.parse(await run("echo", "/job", "a job that fails")) as { runId: string };
    await vi.waitFor(
      async () => {
        const { body } = await daemon.request("GET", `/v1/runs/${runId}`);
        expect(body.completedAt).toBeTypeOf("string");
      },
      { timeout: 20_000, interval: 200 },
    );
    answers.push({ title: "a job that failed", text: (await daemon.request("GET", `/v1/runs/${runId}`)).text });
  }, 240_000);
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await vendor?.[Symbol.asyncDispose]();
  });

  async function run(provider: string, endpoint: string, title: string): Promise<string> {
    const { status, text } = await daemon.request("POST", "/v1/run", {
      provider,
      endpoint,
      input: {},
    });
    expect(status, `${title}: ${text}`).toBeLessThan(500);
    expect(text, title).toContain('"runId"');
    answers.push({ title, text });
    return text;
  }

  test("is in no answer", () => {
    expect(answers.length).toBeGreaterThan(cases.length);
    expect(answers.filter(({ text }) => leaksIn(text).length > 0)).toEqual([]);
  });

  test("is in no list and no export", async () => {
    const pages = [
      "/v1/runs?limit=100",
      "/v1/runs/export?format=ndjson",
      "/v1/runs/export?format=csv",
      "/v1/usage?groupBy=endpoint",
      "/metrics",
    ];
    for (const page of pages) {
      const { text } = await daemon.request("GET", page);

      expect(leaksIn(text), page).toEqual([]);
    }
  });

  test("is in nothing that the command line shows", async () => {
    const { runId } = JSON.parse(answers[0]?.text ?? "") as { runId: string };
    for (const words of [
      ["get-run", runId],
      ["get-run", runId, "--json"],
      ["runs", "--json"],
      ["run", "echo/content-encoding/0"],
    ]) {
      const { stdout, stderr } = await spawnMkt(words, { home: daemon.home });

      expect(leaksIn(stdout + stderr), words.join(" ")).toEqual([]);
    }
  });

  test("of four characters leaves an answer what it is", async () => {
    expect(await run("echo", "/short", "short")).toContain("data of a database");
  });

  test("is in no file of the daemon and nothing that it logged, while it runs and after", async () => {
    await daemon.kill("SIGKILL");

    const { dataDir, configDir } = daemon.home;
    for (const file of [...filesIn(dataDir), ...filesIn(configDir)]) {
      // The owner's catalog is what named the variables; the secrets themselves were in the environment.
      expect(leaksIn(readFileSync(file, "utf8")), file).toEqual([]);
    }
    expect(leaksIn(daemon.stdout() + daemon.stderr())).toEqual([]);
    expect(
      filesIn(dataDir)
        .map((file) => readFileSync(file, "utf8"))
        .join(""),
    ).toContain("[redacted]");
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Longer parts of a spelling tell the secret; shorter ones may stand at the border of what was taken out. */
const WINDOW = 16;
const windows = new Map<string, string>();
for (const secret of [awkward, plain]) {
  for (const [name, spell] of SPELLINGS) {
    const spelled = spell(secret);
    for (let at = 0; at === 0 || at + WINDOW <= spelled.length; at += 4)
      windows.set(spelled.slice(at, at + WINDOW), name);
  }
}

/** The spellings of which a part is in the text, as it stands or in JSON. */
function leaksIn(text: string): string[] {
  const unescaped = text.replace(/\\(["\\/])/g, "$1");
  const views = [text, unescaped, unescaped.replace(/\\(["\\/])/g, "$1")];
  const found = [...windows].filter(([part]) => views.some((view) => view.includes(part)));
  return [...new Set(found.map(([part, name]) => `${name}: ${part}`))].slice(0, 5);
}
