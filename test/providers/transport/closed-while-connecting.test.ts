import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createServiceCaller } from "../../../daemon/discovery/services/calls/service-caller.ts";
import { openReceiver } from "../../../daemon/webhooks/receiver.ts";
import { openHttpProvider } from "../../support/open-http-provider.ts";
import { entryOf } from "../../support/provider-entry.ts";
import { holdingSockets } from "../../support/holding-sockets.ts";

const signal = new AbortController().signal;

/** A server that takes connections and says nothing, not even what TLS begins with. */
async function startSilentServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}).unref());
  }).unref();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    connected: once(server, "connection"),
    count: () => sockets.length,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

type Begin = (url: string) => { answered: Promise<unknown>; close: () => Promise<void> };

function providerCall(endpoint: string): Begin {
  return (url) => {
    const provider = openHttpProvider(["127.0.0.1"]);
    const entry = entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${url}", allowPrivateNetwork: true}
endpoints:
  ${endpoint}
`);
    const request = { runId: "01ARZ3NDEKTSV4RRFFQ69G5FAV", entry, input: {} };
    return { answered: provider.start(request, { signal }), close: async () => await provider.close() };
  };
}

test.each<[who: string, begin: Begin]>([
  [
    "a provider",
    providerCall(`/order:
    request: {method: POST, path: /order}
    price: {type: PER_CALL, amount: 0.01}`),
  ],
  [
    "a provider that is only read",
    providerCall(`/now:
    request: {method: GET, path: /now}
    price: {type: FREE}`),
  ],
  [
    "a receiver of webhooks",
    (url) => {
      const receiver = openReceiver({ privateHosts: new Set(["127.0.0.1"]) });
      const post = { url: new URL(url), headers: {}, body: "{}", signal, nowMs: Date.now() };
      return { answered: receiver.post(post), close: async () => await receiver.close() };
    },
  ],
  [
    "a search service",
    (url) => {
      const service = createServiceCaller({ url });
      const limits = { timeoutMs: 60_000, maxResponseBytes: 1_000 };
      return { answered: service.post({}, limits), close: async () => await service.close() };
    },
  ],
])("%s that says nothing while it is connected to holds no process once it is closed", async (_, begin) => {
  using server = await startSilentServer();
  const before = holdingSockets();
  const { answered, close } = begin(server.url);
  const ended = answered.catch(() => undefined);
  await server.connected;
  expect(holdingSockets()).toBe(before + 1);

  await close();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();

  expect(holdingSockets()).toBe(before);
  // A call that is tried again opens no other one.
  await ended;
  expect(server.count()).toBe(1);
});
