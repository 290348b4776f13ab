import type { Clock } from "../../daemon/base/clock.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { type MktHome } from "../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/start-daemon.ts";

/**
 * A provider that rents phone numbers for $2 a month and locks for nothing: `/numbers/buy` makes one ($0.05 a call),
 * `/messages/send` uses one, `/numbers/label` changes one, `/numbers/drop` ends one; `/locks/make` makes a lock.
 */
export function phonedesk(baseUrl: string, { rent = RENT }: { rent?: object } = {}): object {
  const number = (field: string) => [{ resource: "phone-number", id: `input:body.${field}` }];
  const text = { type: "string" };
  return {
    displayName: "Phonedesk",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 }, timeoutMs: 20_000 },
    resources: {
      "phone-number": {
        displayName: "Phone number",
        price: rent,
        verify: { method: "GET", path: "/numbers/${resource.id}", goneIf: [404, 410] },
        release: { method: "DELETE", path: "/numbers/${resource.id}", ok: [200, 204, 404] },
        data: { e164: "$.number", country: "$.country" },
      },
      lock: {
        displayName: "Lock",
        type: "machine",
        release: { method: "DELETE", path: "/locks/${resource.id}" },
      },
      relic: { displayName: "Relic", type: "machine" },
    },
    endpoints: {
      "/numbers/buy": {
        description: "Rents a phone number.",
        request: { method: "POST", path: "/numbers" },
        input: { body: { required: ["country"], properties: { country: text } } },
        price: { type: "PER_CALL", amount: 0.05 },
        resources: {
          provisions: {
            resource: "phone-number",
            id: "$.id",
            identifier: "$.number",
            data: { country: "$.country", phoneNumber: "$.number" },
          },
        },
      },
      "/messages/send": {
        description: "Sends a text message.",
        request: { method: "POST", path: "/messages" },
        input: { body: { required: ["from"], properties: { from: text } } },
        price: { type: "PER_CALL", amount: 0.01 },
        resources: { uses: number("from") },
      },
      "/numbers/label": {
        description: "Labels a phone number.",
        request: { method: "POST", path: "/labels" },
        input: { body: { required: ["number"], properties: { number: text } } },
        price: { type: "FREE" },
        resources: { updates: number("number") },
      },
      "/numbers/drop": {
        description: "Gives a phone number back.",
        request: { method: "POST", path: "/drop" },
        input: { body: { required: ["number"], properties: { number: text } } },
        price: { type: "FREE" },
        resources: { releases: number("number") },
      },
      "/locks/make": {
        description: "Makes a lock.",
        request: { method: "POST", path: "/locks" },
        price: { type: "FREE" },
        resources: { provisions: { resource: "lock", id: "$.id" } },
      },
      "/relics/make": {
        description: "Makes a relic, which its provider never takes back.",
        request: { method: "POST", path: "/relics" },
        price: { type: "FREE" },
        resources: { provisions: { resource: "relic", id: "$.id" } },
      },
    },
  };
}

const RENT = { type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } };

/** A clock that stands still until it is moved. */
export interface HandClock extends Clock {
  set(instant: string): void;
  forward(ms: number): void;
}

export function handClock(start = "2026-01-31T12:00:00.000Z"): HandClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    set: (instant) => void (now = Date.parse(instant)),
    forward: (ms) => void (now += ms),
  };
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

let bought = 0;

/** Every number that is bought is another one; all of them are there always. */
export function scriptPhones(upstream: FakeProvider): void {
  upstream.on("POST /numbers", (call) => {
    bought += 1;
    return { status: 201, json: { id: `pn-${bought}`, number: `+35191000000${bought}`, country: call.json.country } };
  });
  upstream.on("GET /numbers/*", (call) => ({ json: { number: `+351 ${call.path}`, country: "PT" } }));
  upstream.on("DELETE /numbers/*", { status: 204 });
  upstream.on("POST /messages", { json: { sent: true } });
  upstream.on("POST /labels", { json: { labelled: true } });
  upstream.on("POST /drop", { json: { dropped: true } });
  upstream.on("POST /locks", { json: { id: "lock-1" } });
  upstream.on("DELETE /locks/*", { status: 204 });
  upstream.on("POST /relics", { json: { id: 7 } });
}

export interface PhoneMarket extends AsyncDisposable {
  readonly daemon: TestDaemon;
  /** A run with this body; the finished run. */
  run(endpoint: string, body?: object): Promise<any>;
  buy(): Promise<{ run: any; resourceId: string; externalId: string }>;
  resource(resourceId: string): Promise<any>;
  events(resourceId: string): Promise<any[]>;
  /** Dollars free to spend. */
  balance(): Promise<number>;
  /** Resolves with the resource once it is as `is` says; rejects after ten seconds. */
  until(resourceId: string, is: (resource: any) => boolean): Promise<any>;
}

export async function openPhoneMarket(
  upstream: FakeProvider,
  options: { home?: MktHome; clock?: Clock; rent?: object } & Pick<TestDaemonOptions, "environment" | "onLog"> = {},
): Promise<PhoneMarket> {
  const { rent, ...others } = options;
  const manifest = phonedesk(upstream.url, rent === undefined ? {} : { rent });
  const daemon = await startTestDaemon({ manifests: { phonedesk: manifest }, ...others });
  const ask = async (method: string, path: string, body?: object) => (await daemon.request(method, path, body)).body;
  const market: PhoneMarket = {
    daemon,
    run: (endpoint, body) =>
      ask("POST", "/v1/run", { provider: "phonedesk", endpoint, ...(body !== undefined && { input: { body } }) }),
    async buy() {
      const run = await market.run("/numbers/buy", { country: "PT" });
      const { resourceId } = run.resources[0];
      return { run, resourceId, externalId: (await market.resource(resourceId)).externalId };
    },
    resource: (resourceId) => ask("GET", `/v1/resources/${resourceId}`),
    events: async (resourceId) => (await ask("GET", `/v1/resources/${resourceId}/events?limit=100`)).items,
    balance: async () => (await ask("GET", "/v1/wallet/balance")).balance.value,
    async until(resourceId, is) {
      const deadline = Date.now() + 10_000;
      for (;;) {
        const resource = await market.resource(resourceId);
        if (is(resource)) return resource;
        if (Date.now() > deadline) throw new Error(`never so: ${JSON.stringify(resource)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
  return market;
}
