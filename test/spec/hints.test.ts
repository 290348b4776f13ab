import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { request } from "../support/request.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { type Market, openMarket } from "./market.ts";

/** docs/contract.md, "Kinds of hints" and "Who gets hints": who gets next steps, and in which words. */

let market: Market;

/** Words that a terminal would take for commands, or that nobody sees. */
const HOSTILE = "Look\u001b]0;owned\u0007 \u001b[31mhere\u001b[0m\u202e\u200b\u009b2J\r\nNow";
const HARMLESS = "Look here Now";

const advised = (baseUrl: string) => {
  const { displayName, endpoints, ...file } = weatherManifest(baseUrl) as Record<string, any>;
  const hints = {
    [HOSTILE]: HOSTILE,
    "look up": { kind: "discover", query: HOSTILE, comment: HOSTILE },
    "read it": { kind: "getRun", comment: "when it is done" },
    "end it": { kind: "stop" },
    "hand it back": { kind: "releaseResource" },
  };
  return {
    ...file,
    displayName,
    endpoints: { "/now": { ...endpoints["/now"], hints }, "/report": { ...endpoints["/report"], hints } },
  };
};

beforeAll(async () => {
  market = await openMarket((baseUrl) => ({ advised: advised(baseUrl) }));
});

beforeEach(() => {
  market.upstream.on("GET /now", { json: { temperature: 21 } });
  market.upstream.on("POST /reports", { status: 202, json: { id: "job-1" } });
  market.upstream.on("GET /reports/job-1", { json: { status: "working" } });
  market.upstream.on("DELETE /reports/job-1", { status: 204 });
});

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

const call = async (headers: Record<string, string>, method: string, path: string, body?: unknown) =>
  await request(`${market.daemon.url}${path}`, method, { key: market.daemon.key, headers, body });

/** What "look back", the hint of the author of nimbus/now, becomes. */
const target = { kind: "inspect", provider: "nimbus", endpoint: "/report", comment: "takes a while" };
const asRequest = 'POST /v1/inspect {"provider":"nimbus","endpoint":"/report"} # takes a while';
const asTool = 'inspect {"provider":"nimbus","endpoint":"/report"} # takes a while';
const asMonid = "monid inspect -p nimbus -e /report # takes a while";

const callers: [string, Record<string, string>, unknown][] = [
  ["X-Mkt-Client: cli gets structured targets", { "x-mkt-client": "cli" }, target],
  ["X-Mkt-Client: web gets structured targets", { "x-mkt-client": "web" }, target],
  ["X-Mkt-Client: api gets method, path and body", { "x-mkt-client": "api" }, asRequest],
  ["X-Mkt-Client: mcp gets tool and arguments", { "x-mkt-client": "mcp" }, asTool],
  ["X-Monid-Client: cli gets that client's grammar", { "x-monid-client": "cli" }, asMonid],
  ["X-Monid-Client: web gets structured targets", { "x-monid-client": "web" }, target],
  ["no header is treated as api", {}, asRequest],
  ["of both headers ours wins", { "x-mkt-client": "mcp", "x-monid-client": "cli" }, asTool],
];
const unknownCallers: [string, Record<string, string>][] = [
  ["X-Mkt-Client: toaster", { "x-mkt-client": "toaster" }],
  ["X-Monid-Client: toaster", { "x-monid-client": "toaster" }],
  ["an unknown X-Mkt-Client beside a known X-Monid-Client", { "x-mkt-client": "toaster", "x-monid-client": "cli" }],
];

describe("The author's hints of an endpoint", () => {
  const authored = (step: unknown) => ({ "look back": step, unit: "In Celsius" });

  test.each(callers)("in discover results: %s", async (_who, headers, step) => {
    const { body } = await call(headers, "POST", "/v1/discover", {
      q: "weather in a city",
      provider: ["nimbus"],
      limit: 1,
    });

    expect(body.results[0].hints).toEqual(authored(step));
  });

  test.each(callers)("in inspect: %s", async (_who, headers, step) => {
    const { body } = await call(headers, "POST", "/v1/inspect", { provider: "nimbus", endpoint: "/now" });

    expect(body.hints).toEqual(authored(step));
  });

  test.each(callers)("at the top of a finished run's answer, and of GET: %s", async (_who, headers, step) => {
    const run = { provider: "nimbus", endpoint: "/now", input: { city: "Rome" } };

    const { status, body } = await call(headers, "POST", "/v1/run", run);
    const read = await call(headers, "GET", `/v1/runs/${body.runId}`);

    expect(status).toBe(200);
    expect(body.hints).toEqual(authored(step));
    expect(read.body.hints).toEqual(authored(step));
  });

  test.each(unknownCallers)("%s gets none at all", async (_who, headers) => {
    const discovered = await call(headers, "POST", "/v1/discover", {
      q: "weather in a city",
      provider: ["nimbus"],
      limit: 1,
    });
    const inspected = await call(headers, "POST", "/v1/inspect", { provider: "nimbus", endpoint: "/now" });
    const run = await call(headers, "POST", "/v1/run", {
      provider: "nimbus",
      endpoint: "/now",
      input: { city: "Rome" },
    });
    const read = await call(headers, "GET", `/v1/runs/${run.body.runId}`);

    expect(discovered.body.results[0]).not.toHaveProperty("hints");
    for (const { body } of [discovered, inspected, run, read]) expect(body).not.toHaveProperty("hints");
  });

  test("stay with the result: discover has no hints at its top where the service has none of its own", async () => {
    const { body } = await call({}, "POST", "/v1/discover", { q: "weather in a city", provider: ["nimbus"] });

    expect(body).not.toHaveProperty("hints");
  });

  test("an endpoint without them has no member hints", async () => {
    const { body } = await call({}, "POST", "/v1/inspect", { provider: "nimbus", endpoint: "/report" });

    expect(body).not.toHaveProperty("hints");
  });
});

describe("The service's own next steps, at the top of a run that goes on", () => {
  const words: [string, Record<string, string>, (runId: string) => [unknown, unknown]][] = [
    [
      "X-Mkt-Client: cli",
      { "x-mkt-client": "cli" },
      (runId) => [
        { kind: "getRun", runId },
        { kind: "stop", runId },
      ],
    ],
    [
      "X-Mkt-Client: web",
      { "x-mkt-client": "web" },
      (runId) => [
        { kind: "getRun", runId },
        { kind: "stop", runId },
      ],
    ],
    ["no header", {}, (runId) => [`GET /v1/runs/${runId}`, `POST /v1/runs/${runId}/stop`]],
    [
      "X-Mkt-Client: mcp",
      { "x-mkt-client": "mcp" },
      (runId) => [`get_run {"runId":"${runId}"}`, `stop_run {"runId":"${runId}"}`],
    ],
    [
      "X-Monid-Client: cli",
      { "x-monid-client": "cli" },
      (runId) => [`monid runs get -r ${runId}`, `monid runs stop -r ${runId}`],
    ],
  ];

  test.each(words)(
    "%s is told how to read it and how to stop it, by 202 and by GET",
    async (_who, headers, expected) => {
      const run = { provider: "nimbus", endpoint: "/report", input: { topic: "rain" } };

      const accepted = await call(headers, "POST", "/v1/run", run);
      const read = await call(headers, "GET", `/v1/runs/${accepted.body.runId}`);
      await call({}, "POST", `/v1/runs/${accepted.body.runId}/stop`);

      expect(accepted.status).toBe(202);
      expect(Object.values(accepted.body.hints)).toEqual(expected(accepted.body.runId));
      expect(Object.values(read.body.hints)).toEqual(expected(accepted.body.runId));
    },
  );

  test.each(unknownCallers)("%s is told nothing", async (_who, headers) => {
    const run = { provider: "nimbus", endpoint: "/report", input: { topic: "rain" } };

    const accepted = await call(headers, "POST", "/v1/run", run);
    await call({}, "POST", `/v1/runs/${accepted.body.runId}/stop`);

    expect(accepted.status).toBe(202);
    expect(accepted.body).not.toHaveProperty("hints");
  });
});

describe("An author's hints about a run", () => {
  const now = { provider: "advised", endpoint: "/now", input: { city: "Rome" } };
  const report = { provider: "advised", endpoint: "/report", input: { topic: "rain" } };

  test.each(callers)(
    "have the run's id where there is a run, and are left out where there is none: %s",
    async (_, as) => {
      const discovered = await call(as, "POST", "/v1/discover", { q: "weather now", provider: ["advised"], limit: 1 });
      const inspected = await call(as, "POST", "/v1/inspect", { provider: "advised", endpoint: "/now" });
      const ran = await call(as, "POST", "/v1/run", now);

      for (const hints of [discovered.body.results[0].hints, inspected.body.hints]) {
        expect(Object.keys(hints)).toEqual([HARMLESS, "look up"]);
      }
      expect(Object.keys(ran.body.hints).toSorted()).toEqual([HARMLESS, "look up", "read it"]);
      expect(JSON.stringify(ran.body.hints["read it"])).toContain(ran.body.runId);
    },
  );

  test("stop a run that goes on, and read it, in the author's words", async () => {
    const { body } = await call({}, "POST", "/v1/run", report);
    const read = await call({}, "GET", `/v1/runs/${body.runId}`);
    await call({}, "POST", `/v1/runs/${body.runId}/stop`);

    expect(read.body.hints).toEqual({
      "read it": `GET /v1/runs/${body.runId} # when it is done`,
      "end it": `POST /v1/runs/${body.runId}/stop`,
    });
    expect(body.hints).toEqual(read.body.hints);
  });

  test("are left out of the public detail, too, which has no run", async () => {
    const { body } = await request(`${market.daemon.registryUrl}/public/v1/providers/advised/endpoints/now`);

    expect(Object.keys(body.hints)).toEqual([HARMLESS, "look up"]);
  });
});

describe("Escape characters in an author's hints", () => {
  test.each(callers)("reach nobody, for older clients print what comes: %s", async (_, as) => {
    const discovered = await call(as, "POST", "/v1/discover", { q: "weather now", provider: ["advised"], limit: 1 });
    const inspected = await call(as, "POST", "/v1/inspect", { provider: "advised", endpoint: "/now" });
    const detail = await request(`${market.daemon.registryUrl}/public/v1/providers/advised/endpoints/now`);

    for (const hints of [discovered.body.results[0].hints, inspected.body.hints, detail.body.hints]) {
      expect(hints[HARMLESS]).toBe(HARMLESS);
      expect(JSON.stringify(hints)).toContain(HARMLESS);
      expect(JSON.stringify(hints)).not.toMatch(/\\u|\\r|[\p{Cc}\p{Cf}]|owned/u);
    }
  });
});

describe("Public answers", () => {
  test("show hints only in an endpoint's detail, and there as authored", async () => {
    const detail = await request(`${market.daemon.registryUrl}/public/v1/providers/nimbus/endpoints/now`);
    const card = await request(`${market.daemon.registryUrl}/public/v1/endpoints?provider=nimbus&limit=1`);

    expect(detail.body.hints["look back"]).toEqual(target);
    expect(card.text).not.toContain("hints");
  });
});
