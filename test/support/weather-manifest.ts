import type { FakeProvider } from "./fake-provider.ts";

/** A small provider for tests: sync `/now` and `/plain` at $0.01, async `/report` at $0.005 + $0.002 a result. */
export function weatherManifest(baseUrl: string): object {
  return {
    displayName: "Weather",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    async: {
      start: { id: "$.id" },
      poll: {
        method: "GET",
        path: "/reports/${run.externalId}",
        everyMs: 20,
        status: "$.status",
        states: { running: ["working"], done: ["done"], failed: ["failed"], stopped: ["stopped"] },
        message: "$.message",
        progress: "$.progress",
      },
      stop: { method: "DELETE", path: "/reports/${run.externalId}" },
      runMs: 60_000,
    },
    endpoints: {
      "/now": {
        displayName: "Weather now",
        description: "The weather in a city right now: temperature, wind and rain.",
        tags: ["weather"],
        docUrl: "https://weather.example/docs",
        request: { method: "GET", path: "/now" },
        input: {
          queryParams: {
            required: ["city"],
            properties: {
              city: { type: "string", minLength: 1, description: "Name of the city" },
              days: { type: "integer", minimum: 1, maximum: 16 },
            },
          },
        },
        price: { type: "PER_CALL", amount: 0.01 },
        examples: [{ name: "Lisbon", input: { city: "Lisbon" } }],
      },
      "/plain": {
        description: "An endpoint without any input.",
        request: { method: "GET", path: "/plain" },
        price: { type: "PER_CALL", amount: 0.01 },
      },
      "/report": {
        displayName: "Weather report",
        description: "A long report about past weather, made in the background.",
        request: { method: "POST", path: "/reports" },
        input: {
          body: {
            required: ["topic"],
            properties: {
              topic: { type: "string" },
              limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
            },
          },
        },
        output: { select: "$.result.items" },
        usage: { count: "$.result.items", estimate: { count: "input:body.limit", max: "input:body.limit" } },
        price: { type: "PER_RESULT", amount: 0.002, flatFee: 0.005 },
        async: {},
      },
    },
  };
}

/** Scripts the job that `/report` starts: so many polls say "working", then it is done with `result`, or failed. */
export function scriptReport(
  provider: FakeProvider,
  { polls, result, fail }: { readonly polls: number; readonly result?: unknown; readonly fail?: string },
): void {
  let asked = 0;
  provider.on("POST /reports", { status: 202, json: { id: `job-${provider.calls.length}` } });
  provider.on("GET /reports/*", () => {
    asked += 1;
    if (asked <= polls) return { json: { status: "working", progress: asked } };
    return { json: fail === undefined ? { status: "done", result } : { status: "failed", message: fail } };
  });
  provider.on("DELETE /reports/*", { status: 204 });
}

/** Resolves when the provider has seen a call of the route; rejects after ten seconds. */
export async function untilCalled(provider: FakeProvider, route: string, before = 0): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (provider.count(route) <= before) {
    if (Date.now() > deadline) throw new Error(`the provider never saw ${route}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
