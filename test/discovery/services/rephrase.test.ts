import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { chatRouteOf, readWordings } from "../../../daemon/discovery/services/calls/rephrase-client.ts";
import { startTestDaemon } from "../../support/start-daemon.ts";

const KEY = "sk-very-secret-0123456789";
/** In words that no endpoint has. */
const Q = "shall I hang the washing out";
const WORDINGS = "1. daily weather forecast by city\n2. rain in the coming days\n";

const manifests = {
  nimbus: {
    displayName: "Nimbus",
    http: { baseUrl: "https://api.nimbus.example", auth: { type: "none" } },
    endpoints: {
      "/sky": {
        displayName: "Weather forecast",
        description: "Rain and drizzle for the coming days in a city.",
        request: { method: "GET", path: "/" },
        price: { type: "PER_CALL", amount: 0.01 },
      },
    },
  },
};

interface Model extends AsyncDisposable {
  readonly url: string;
  readonly calls: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: any }[];
  /** Sets what it says from now on; a number is a status, undefined is silence. */
  says(answer: string | number | undefined): void;
}

/** A real server that speaks both dialects. */
async function startModel(): Promise<Model> {
  const calls: Model["calls"] = [];
  let answer: string | number | undefined = WORDINGS;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "";
    calls.push({ path, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
    if (answer === undefined) return;
    if (typeof answer === "number") return void response.writeHead(answer).end("{}");
    const message = { role: "assistant", content: answer };
    const body = path.endsWith("/api/chat") ? { message, done: true } : { choices: [{ index: 0, message }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    says: (said) => void (answer = said),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const startDaemon = async (url: string, environment: Record<string, string> = {}) =>
  await startTestDaemon({
    manifests,
    environment: { MKT_REPHRASE_URL: url, MKT_REPHRASE_MODEL: "small", MKT_REPHRASE_KEY: KEY, ...environment },
  });

describe("a daemon with a model that rephrases", () => {
  test.each([
    ["of OpenAI", "/v1", "/v1/chat/completions"],
    ["of Ollama", "", "/api/chat"],
  ])("asks what a model with the routes %s has written, and says so", async (_, base, path) => {
    await using model = await startModel();
    await using daemon = await startDaemon(model.url + base);

    const { body } = await daemon.request("POST", "/v1/discover", { q: Q, explain: true });
    const { body: again } = await daemon.request("POST", "/v1/discover", { q: Q });

    expect(body.results[0].endpoint).toBe("/sky");
    expect(body.also).toEqual(["daily weather forecast by city", "rain in the coming days"]);
    expect(body.services).toEqual([{ name: "rephrase", used: true }]);
    expect(again.also).toEqual(body.also);
    expect(model.calls.map((call) => call.path)).toEqual([path]);
    expect(model.calls[0]).toMatchObject({
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: "small", stream: false, messages: [{ role: "system" }, { role: "user", content: Q }] },
    });
  });

  test("does not ask it for who brings wordings or wants none, nor for the public", async () => {
    await using model = await startModel();
    await using daemon = await startDaemon(model.url);

    await daemon.request("POST", "/v1/discover", { q: Q, also: ["rain"] });
    await daemon.request("POST", "/v1/discover", { q: Q, also: [] });
    const { status } = await daemon.request("POST", "/public/v1/discover/endpoints", { q: Q });

    expect([status, model.calls.length]).toEqual([200, 0]);
  });

  test.each([
    ["it is silent", undefined, /no answer in time/],
    ["it refuses the key", 401, /refuses the key/],
    ["it is broken", 500, /500/],
    ["what it says is no wording", "<think>hm</think>\n```\n```", /no wordings/],
  ])("asks the query alone when %s, and explains why", async (_, answer, why) => {
    await using model = await startModel();
    model.says(answer);
    await using daemon = await startDaemon(model.url, { MKT_REPHRASE_WAIT_MS: "300" });

    const { status, body } = await daemon.request("POST", "/v1/discover", { q: "weather forecast", explain: true });

    expect([status, body.results[0].endpoint]).toEqual([200, "/sky"]);
    expect(body).not.toHaveProperty("also");
    expect(body.services).toEqual([{ name: "rephrase", used: false, reason: expect.stringMatching(why) }]);
    expect(JSON.stringify(body)).not.toContain(KEY);
  });

  test("leaves a model alone that has refused, and answers meanwhile", async () => {
    await using model = await startModel();
    model.says(403);
    await using daemon = await startDaemon(model.url);

    for (const q of ["rain today", "rain tomorrow", "rain on Friday"]) {
      expect((await daemon.request("POST", "/v1/discover", { q })).body.results[0].endpoint).toBe("/sky");
    }

    expect(model.calls.length).toBe(1);
  });
});

test.each([
  ["http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat", "ollama"],
  ["http://127.0.0.1:11434/api/", "http://127.0.0.1:11434/api/chat", "ollama"],
  ["http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/chat", "ollama"],
  ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions", "openai"],
  ["https://models.example/v1/chat/completions", "https://models.example/v1/chat/completions", "openai"],
])("the address %s is that of the route %s, as %s", (base, url, dialect) => {
  expect(chatRouteOf(base)).toEqual({ url, dialect });
});

test.each([
  ["lines with numbers", "1. rain forecast\n2) weather by city", ["rain forecast", "weather by city"]],
  ["marks and quotes", '- "rain forecast"\n* weather by city', ["rain forecast", "weather by city"]],
  ["a list in JSON, in a block", '```json\n["rain forecast", "weather"]\n```', ["rain forecast", "weather"]],
  ["thoughts before", "<think>well\n</think>\nrain forecast", ["rain forecast"]],
  ["more than eight, and one that is too long", `${"x".repeat(301)}\n${"rain\n".repeat(9)}`, Array(8).fill("rain")],
  ["control characters", "rain\u001B[31m forecast", ["rain forecast"]],
])("reads the wordings of %s", (_, text, wordings) => {
  expect(readWordings(text)).toEqual(wordings);
});
