import { type FakeAnswer, type FakeCall, type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { BAZAAR, STALL } from "./purchases.ts";

/** Of so many calls one goes wrong: at the stall, where people buy, and at the bazaar. */
const oneOfGoesWrong = { [STALL]: 12, [BAZAAR]: 2 } as const;

/** A provider that sells, rents and works on reports, and goes wrong in every way that it can, in turn. */
export async function startUpstream(): Promise<FakeProvider> {
  const upstream = await startFakeProvider();
  for (const [slug, oneOf] of Object.entries(oneOfGoesWrong)) {
    let calls = 0;
    const mostly = (answer: (call: FakeCall) => FakeAnswer) => (call: FakeCall) => {
      calls += 1;
      const wrong = waysToGoWrong[Math.floor(calls / oneOf) % waysToGoWrong.length]!;
      return calls % oneOf === 0 ? wrong(call) : answer(call);
    };
    const on = (route: string, answer: (call: FakeCall) => FakeAnswer) => {
      const [method = "", path = ""] = route.split(" ");
      upstream.on(`${method} /${slug}${path}`, mostly(answer));
    };
    let made = 0;
    on("GET /now", ({ query }) => ({ json: { city: query.get("city"), degrees: 20.5 } }));
    on("POST /search", ({ json }) => ({
      json: { items: Array.from({ length: Math.min(json?.limit ?? 3, 20) }, (_, rank) => ({ rank, q: json?.q })) },
    }));
    on("POST /reports", ({ json }) => ({ status: 202, json: { id: `job-${(made += 1)}-${json?.limit ?? 1}` } }));
    on("GET /reports/*", ({ path }) => {
      const count = Number(path.split("-").at(-1)) || 1;
      if (Math.random() < 0.5) return { json: { status: "working", progress: 1 } };
      return { json: { status: "done", result: { items: Array.from({ length: count }, (_, rank) => ({ rank })) } } };
    });
    on("DELETE /reports/*", () => ({ status: 204 }));
    on("POST /numbers", () => {
      made += 1;
      return { json: { id: `pn-${slug}-${made}`, number: `pn-${slug}-${made}` } };
    });
    on("GET /numbers/*", () => ({ json: { number: "+351", country: "PT" } }));
    on("DELETE /numbers/*", () => ({ status: 204 }));
    on("POST /messages", ({ json }) => ({ json: { sent: true, echo: json } }));
    on("POST /drop", () => ({ json: { dropped: true } }));
    on("GET /harbours/*", ({ url }) => ({ json: { url } }));
  }
  return upstream;
}

const waysToGoWrong: readonly ((call: FakeCall) => FakeAnswer)[] = [
  () => ({ status: 404, json: { error: { message: "nothing here" } } }),
  ({ headers }) => ({ status: 500, json: { headers } }),
  ({ rawHeaders }) => ({ json: { rawHeaders } }),
  () => ({ status: 402, json: { message: "pay first" } }),
  () => ({ status: 429, headers: { "retry-after": "0" }, text: "slow down" }),
  ({ headers }) => ({ status: 302, headers: { location: `http://127.0.0.1:1/?${String(headers["x-key"])}` } }),
  () => ({ reset: true }),
  () => ({ truncated: true, text: "{" }),
  () => ({ text: "<html>not JSON</html>", headers: { "content-type": "application/json" } }),
  () => ({ text: `${"[".repeat(300)}${"]".repeat(300)}`, headers: { "content-type": "application/json" } }),
  () => ({
    text: '{"id":9007199254740993,"big":1e400,"__proto__":{"a":1},"items":[]}',
    headers: { "content-type": "application/json" },
  }),
  () => ({ text: "plain", headers: { "content-encoding": "gzip" } }),
  () => ({ status: 204 }),
  () => ({ status: 503, text: "" }),
  () => ({ json: Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`m${at}`, at])) }),
  () => ({ hang: true }),
  ({ headers }) => ({ status: 401, json: { message: `wrong key ${String(headers["x-key"])}` } }),
  () => ({ json: { id: "", number: 7, items: "none", result: null, status: "unheard-of" } }),
];

/** The manifest of both: sync and async endpoints, prices of several kinds, something to rent. */
export function manifestOf(slug: string, baseUrl: string): object {
  const text = { type: "string" };
  const number = (field: string) => [{ resource: "phone-number", id: `input:body.${field}` }];
  const post = (path: string) => ({ method: "POST", path });
  return {
    displayName: slug === STALL ? "The stall" : "The bazaar",
    description: "Weather, reports about weather, harbours and phone numbers.",
    secrets: { key: { env: `${slug.toUpperCase()}_KEY` } },
    http: {
      baseUrl: `${baseUrl}/${slug}`,
      allowPrivateNetwork: true,
      retry: { attempts: 1 },
      timeoutMs: 1_000,
      auth: { type: "apiKey", in: "header", name: "x-key", value: "${secret.key}" },
    },
    resources: {
      "phone-number": {
        displayName: "Phone number",
        price: { type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } },
        verify: { method: "GET", path: "/numbers/${resource.id}", goneIf: [404, 410] },
        release: { method: "DELETE", path: "/numbers/${resource.id}", ok: [200, 204, 404] },
      },
    },
    async: {
      start: { id: "$.id" },
      poll: {
        method: "GET",
        path: "/reports/${run.externalId}",
        everyMs: 20,
        status: "$.status",
        states: { running: ["working"], done: ["done"], failed: ["failed"], stopped: ["stopped"] },
        progress: "$.progress",
      },
      stop: { method: "DELETE", path: "/reports/${run.externalId}" },
      runMs: 5_000,
    },
    endpoints: {
      "/now": {
        description: "The weather in a city right now.",
        tags: ["weather"],
        request: { method: "GET", path: "/now" },
        input: { queryParams: { required: ["city"], properties: { city: { type: "string", minLength: 1 } } } },
        price: { type: "PER_CALL", amount: 0.01 },
      },
      "/search": {
        description: "Searches what was written about weather.",
        request: post("/search"),
        input: {
          body: {
            required: ["q"],
            properties: { q: text, limit: { type: "integer", minimum: 1, maximum: 20, default: 3 } },
          },
        },
        usage: { count: "$.items", estimate: { count: "input:body.limit", max: "input:body.limit" } },
        price: { type: "PER_RESULT", amount: 0.0021, flatFee: 0.0003 },
      },
      "/report": {
        description: "A long report about past weather.",
        request: post("/reports"),
        input: {
          body: {
            required: ["topic"],
            properties: { topic: text, limit: { type: "integer", minimum: 1, maximum: 100, default: 10 } },
          },
        },
        output: { select: "$.result.items" },
        usage: { count: "$.result.items", estimate: { count: "input:body.limit", max: "input:body.limit" } },
        price: { type: "PER_RESULT", amount: 0.002, flatFee: 0.005 },
        async: {},
      },
      "/numbers/buy": {
        description: "Rents a phone number.",
        request: post("/numbers"),
        input: { body: { required: ["country"], properties: { country: text } } },
        price: { type: "PER_CALL", amount: 0.05 },
        resources: { provisions: { resource: "phone-number", id: "$.id", identifier: "$.number" } },
      },
      "/messages/send": {
        description: "Sends a text message.",
        request: post("/messages"),
        input: { body: { required: ["from"], properties: { from: text } } },
        price: { type: "PER_CALL", amount: 0.01 },
        resources: { uses: number("from") },
      },
      "/numbers/drop": {
        description: "Gives a phone number back.",
        request: post("/drop"),
        input: { body: { required: ["number"], properties: { number: text } } },
        price: { type: "FREE" },
        resources: { releases: number("number") },
      },
      "/harbours/{harbour}": {
        description: "What a harbour is like.",
        request: { method: "GET", path: "/harbours/{harbour}" },
        input: { pathParams: { required: ["harbour"], properties: { harbour: text } } },
        price: {
          type: "TIERED",
          default: { type: "PER_CALL", amount: 0.001 },
          selectors: [{ label: "Harbour", key: "harbour", in: "pathParam" }],
          tiers: [{ label: "Large", when: { harbour: "rotterdam" }, price: { type: "PER_CALL", amount: 0.002 } }],
        },
      },
    },
  };
}
