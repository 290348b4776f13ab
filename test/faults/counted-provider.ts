import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";

/** A provider whose calls must not be repeated, and which is told the run that it is called for. */
export interface CountedProvider extends AsyncDisposable {
  /** For a daemon: `counted/buy` answers at once for $0.01, `counted/work` is a job of four polls for $0.02. */
  readonly manifests: Readonly<Record<string, object>>;
  /** The runs that it was called for, once for each call that starts something. */
  readonly startedRuns: () => string[];
}

export const BUY_MICRO_DOLLARS = 10_000;

export async function startCountedProvider(): Promise<CountedProvider> {
  const provider = await startFakeProvider();
  script(provider);
  return {
    manifests: { counted: manifestOf(provider.url) },
    startedRuns: () =>
      provider.calls.filter(({ method }) => method === "POST").map(({ headers }) => String(headers["x-run-id"])),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

function manifestOf(baseUrl: string): object {
  const headers = { "x-run-id": "${run.id}" };
  return {
    http: { baseUrl, allowPrivateNetwork: true },
    endpoints: {
      "/buy": { request: { method: "POST", path: "/buy", headers }, price: { type: "PER_CALL", amount: 0.01 } },
      "/work": {
        request: { method: "POST", path: "/work", headers },
        price: { type: "PER_CALL", amount: 0.02 },
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/work/${run.externalId}",
            everyMs: 20,
            status: "$.status",
            states: { running: ["working"], done: ["done"] },
          },
          stop: { method: "DELETE", path: "/work/${run.externalId}" },
          runMs: 120_000,
        },
      },
    },
  };
}

function script(provider: FakeProvider): void {
  const asked = new Map<string, number>();
  provider.on("POST /buy", ({ headers }) => ({
    delayMs: String(headers["x-run-id"]).charCodeAt(25) % 7,
    json: { bought: true },
  }));
  provider.on("POST /work", ({ headers }) => ({ status: 202, json: { id: headers["x-run-id"] } }));
  provider.on("GET /work/*", ({ path }) => {
    const polls = (asked.get(path) ?? 0) + 1;
    asked.set(path, polls);
    return { json: { status: polls > 3 ? "done" : "working" } };
  });
  provider.on("DELETE /work/*", { status: 204 });
}
