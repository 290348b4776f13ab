import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FakeAnswer, type FakeCall, type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type CliSurroundings, type CliOutcome, jsonLines, runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** A daemon with one paid endpoint, `vendor/price`, and files of rows for it. */
export interface BatchMarket extends AsyncDisposable {
  readonly vendor: FakeProvider;
  readonly daemon: TestDaemon;
  readonly home: MktHome;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  path(name: string): string;
  /** Runs `mkt batch vendor/price` with these words. */
  batch(words: readonly string[], surroundings?: CliSurroundings): Promise<CliOutcome>;
  /** Dollars that were charged in all. */
  charged(): Promise<number>;
  /** How often the vendor was called for each item. */
  callsByItem(): Map<string, number>;
  answer(responder: (call: FakeCall) => FakeAnswer): void;
  /** Resolves when the endpoint is no longer served. */
  disable(): Promise<void>;
  /** Starts the daemon again, with other members of the endpoint. */
  restart(endpoint: object): Promise<void>;
}

/** What one call costs, in dollars. */
export const PRICE = 0.01;

export const itemsCsv = (count: number) =>
  `item,note\r\n${Array.from({ length: count }, (_, at) => `item${at},"a, ""b"""\r\n`).join("")}`;

export const itemsJsonl = (count: number) =>
  Array.from({ length: count }, (_, at) => `${JSON.stringify({ item: `item${at}` })}\n`).join("");

export interface BatchMarketParts {
  readonly endpoint?: object;
}

export async function openBatchMarket({ endpoint = {} }: BatchMarketParts = {}): Promise<BatchMarket> {
  const vendor = await startFakeProvider();
  vendor.on("GET /price", ({ query }) => ({ json: { item: query.get("item"), price: 12.5 } }));
  const home = mktHome();
  const start = async (members: object) =>
    await startTestDaemon({ home, manifests: { vendor: manifestOf(vendor.url, members) } });
  let daemon = await start(endpoint);
  const path = (name: string) => join(home.path, name);
  return {
    vendor,
    get daemon() {
      return daemon;
    },
    home,
    path,
    write(name, text) {
      writeFileSync(path(name), text);
      return path(name);
    },
    async batch(words, surroundings = {}) {
      const env = { ...home.environment, MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, ...surroundings.env };
      return await runMkt(["batch", "vendor/price", ...words], { ...surroundings, env });
    },
    async charged() {
      const { body } = await daemon.request("GET", "/v1/usage");
      return body.total.charged.value;
    },
    callsByItem() {
      const counts = new Map<string, number>();
      for (const { query } of vendor.calls) {
        const item = query.get("item") ?? "";
        counts.set(item, (counts.get(item) ?? 0) + 1);
      }
      return counts;
    },
    async disable() {
      home.writeCatalog("trusted", { vendor: manifestOf(vendor.url, { enabled: false }) });
      const isServed = async () =>
        (await daemon.request("POST", "/v1/inspect", { provider: "vendor", endpoint: "/price" })).status === 200;
      while (await isServed()) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async restart(members) {
      await daemon[Symbol.asyncDispose]();
      daemon = await start(members);
    },
    answer: (responder) => vendor.on("GET /price", responder),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await vendor.close();
      home[Symbol.dispose]();
    },
  };
}

export function manifestOf(url: string, endpoint: object = {}): object {
  return {
    http: { baseUrl: url, allowPrivateNetwork: true, retry: { backoffMs: 1 } },
    endpoints: {
      "/price": {
        request: { method: "GET", path: "/price" },
        input: {
          queryParams: {
            type: "object",
            properties: { item: { type: "string" }, locale: { type: "string" }, limit: { type: "integer" } },
            required: ["item"],
            additionalProperties: false,
          },
        },
        price: { type: "PER_CALL", amount: PRICE },
        ...endpoint,
      },
    },
  };
}

/** The results of a file or of stdout, in the order of the rows. */
export function sortedResults(text: string): Record<string, unknown>[] {
  const results = jsonLines(text) as { index: number }[];
  return results.sort((a, b) => a.index - b.index);
}
