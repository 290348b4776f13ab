import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type Answer } from "../support/request.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** A daemon whose clock and log are at hand, with one provider: `/now` costs $0.01, `/report` $0.005 + $0.002 a result. */
export interface ControlMarket extends AsyncDisposable {
  readonly upstream: FakeProvider;
  readonly daemon: TestDaemon;
  /** What the daemon takes for now; tests move it. */
  readonly time: { nowMs: number };
  /** Warnings of its log. */
  readonly warnings: Readonly<Record<string, unknown>>[];
  /** `/now`, or what `more` says. */
  run(more?: object): Promise<Answer>;
  budget(period: string, dollars: number): Promise<string>;
  runCap(dollars: number): Promise<string>;
}

const PINO_WARN = 40;

/** A Wednesday, in the middle of every window. */
export const START = Date.parse("2026-07-15T12:30:00.000Z");

export async function openControlMarket(options: TestDaemonOptions = {}): Promise<ControlMarket> {
  const upstream = await startFakeProvider();
  upstream.on("GET /now", { json: { temperature: 21 } });
  const time = { nowMs: START };
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const daemon = await startTestDaemon({
    manifests: { weather: weatherManifest(upstream.url) },
    clock: { now: () => time.nowMs },
    onLog: (line) => void (line["level"] === PINO_WARN && warnings.push(line)),
    ...options,
  });
  const create = async (path: string, body: object): Promise<Record<string, string>> =>
    (await daemon.request("POST", `/v1/controls/workspace/${path}`, body)).body;
  return {
    upstream,
    daemon,
    time,
    warnings,
    run: async (more = {}) =>
      await daemon.request("POST", "/v1/run", {
        provider: "weather",
        endpoint: "/now",
        input: { city: "Lisbon" },
        ...more,
      }),
    budget: async (period, dollars) =>
      (await create("budgets", { period, limitAmount: microDollars(dollars) }))["budgetControlId"] ?? "",
    runCap: async (dollars) =>
      (await create("run-caps", { limitAmount: microDollars(dollars) }))["runCapControlId"] ?? "",
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

export function microDollars(dollars: number): object {
  return { value: Math.round(dollars * 1_000_000), unit: "MICRO_DOLLAR", currency: "USD" };
}
