import { stat } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from "node:net";
import type { TLSSocket } from "node:tls";
import { type buildConnector, request as requestBy } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import type { Provider } from "../../../daemon/providers/protocol/provider.ts";
import { buildTlsConnector } from "../../../daemon/providers/transport/connect-tls.ts";
import { TlsTickets } from "../../../daemon/providers/transport/tls-tickets.ts";
import { UnrepeatedCalls } from "../../../daemon/providers/transport/unrepeated-calls.ts";
import { type Certificate, certificateMaker, hasOpenssl } from "../../remote/certificates.ts";
import { openHttpProvider } from "../../support/open-http-provider.ts";
import { entryOf } from "../../support/provider-entry.ts";
import { tempDir } from "../../support/temp-dir.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A POST that must not be executed twice. */
function order(url: string): CatalogEntry {
  return entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${url}", allowPrivateNetwork: true, retry: {attempts: 1}}
endpoints:
  /order:
    request: {method: POST, path: /order}
    price: {type: PER_CALL, amount: 0.01}
`);
}

async function call(provider: Provider, entry: CatalogEntry): Promise<number> {
  const answer = await provider.start({ runId, entry, input: {} }, { signal: new AbortController().signal });
  if (answer.kind !== "answer") throw new Error("not an answer");
  return answer.httpStatus;
}

/** What a connection was used for. */
interface Accepted {
  readonly socket: TLSSocket;
  readonly isResumed: boolean;
  requests: number;
}

describe.skipIf(!hasOpenssl)("a call that must not be repeated, over TLS and HTTP/1.1 (needs openssl)", () => {
  let folder: ReturnType<typeof tempDir>;
  let authority: Certificate;
  let certificate: Certificate;

  beforeAll(() => {
    folder = tempDir();
    const make = certificateMaker(folder.path);
    authority = make.authority();
    certificate = make.signed("vendor", "IP:127.0.0.1");
  });
  afterAll(() => folder[Symbol.dispose]());

  const opened = (host: string) => openHttpProvider([host], { ca: authority.cert });

  /** Tells what came on each connection; `onUnused` is called for one as soon as it is open. */
  async function startVendor(
    listener: RequestListener,
    onUnused: (socket: TLSSocket, index: number) => void = () => {},
  ) {
    const accepted: Accepted[] = [];
    const server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
      const connection = accepted.find(({ socket }) => socket === request.socket);
      if (connection !== undefined) connection.requests += 1;
      listener(request, response);
    });
    server.on("secureConnection", (socket) => {
      accepted.push({ socket, isResumed: socket.isSessionReused(), requests: 0 });
      socket.on("error", () => {});
      onUnused(socket, accepted.length - 1);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      url: `https://${host}`,
      host,
      accepted,
      unused: () => accepted.filter(({ requests, socket }) => requests === 0 && !socket.destroyed).length,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  const answerAtOnce: RequestListener = (_, response) => void response.end("{}");

  test("never shares a connection with another call", async () => {
    await using vendor = await startVendor(answerAtOnce);
    await using provider = opened(vendor.host);
    const entry = order(vendor.url);

    for (let made = 0; made < 4; made++) await call(provider, entry);
    await Promise.all(Array.from({ length: 10 }, async () => await call(provider, entry)));

    expect(Math.max(...vendor.accepted.map(({ requests }) => requests))).toBe(1);
    expect(vendor.accepted.filter(({ requests }) => requests === 1)).toHaveLength(14);
  });

  test("resumes the TLS session of the connection before", async () => {
    await using vendor = await startVendor(answerAtOnce);
    await using provider = opened(vendor.host);
    const entry = order(vendor.url);

    await call(provider, entry);
    await call(provider, entry);

    expect(vendor.accepted.slice(0, 2).map(({ isResumed }) => isResumed)).toEqual([false, true]);
  });

  test("begins a new TLS session after the provider broke off where one was to be resumed", async () => {
    await using vendor = await startVendor(answerAtOnce);
    let withoutTicket = 0;
    const front = createTcpServer((near) => {
      near.on("error", () => {});
      near.once("data", (hello) => {
        withoutTicket ||= hello.length;
        // The message that begins a handshake is longer with a ticket.
        if (hello.length > withoutTicket) return near.destroy();
        const far = connectTcp(Number(new URL(vendor.url).port), "127.0.0.1").on("error", () => {});
        far.write(hello);
        near.pipe(far).pipe(near);
      });
    });
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(front.address() as AddressInfo).port}`;
    await using provider = opened(host);
    const entry = order(`https://${host}`);

    await call(provider, entry);
    await expect(call(provider, entry)).rejects.toMatchObject({ maybeExecuted: false });

    await expect(call(provider, entry)).resolves.toBe(200);
    front.close();
  });

  test("has a connection ready when the call before was a moment ago, and a first call opens none for nothing", async () => {
    await using vendor = await startVendor(answerAtOnce);
    await using provider = opened(vendor.host);
    const entry = order(vendor.url);

    await call(provider, entry);
    expect(vendor.accepted).toHaveLength(1);
    await call(provider, entry);
    await expect.poll(() => vendor.unused()).toBe(1);
    const ready = vendor.accepted[2];
    await call(provider, entry);

    expect(ready?.requests).toBe(1);
  });

  test("does not use a connection that the provider closed before it was used, nor has others opened ahead there", async () => {
    await using vendor = await startVendor(answerAtOnce, (socket, index) => {
      if (index === 2) socket.end("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n");
    });
    await using provider = opened(vendor.host);
    const entry = order(vendor.url);

    await call(provider, entry);
    await call(provider, entry);
    await expect.poll(() => vendor.accepted[2]?.socket.destroyed).toBe(true);
    for (let made = 0; made < 3; made++) await expect(call(provider, entry)).resolves.toBe(200);

    expect(vendor.accepted[2]?.requests).toBe(0);
    expect(vendor.accepted).toHaveLength(6);
  });

  test("does not use a connection that the provider closed just before", async () => {
    await using vendor = await startVendor(answerAtOnce);
    await using provider = opened(vendor.host);
    const entry = order(vendor.url);
    await call(provider, entry);
    await call(provider, entry);
    await expect.poll(() => vendor.unused()).toBe(1);
    // The rest of this turn of the event loop sees what had arrived before.
    await stat(import.meta.filename);
    vendor.accepted[2]?.socket.destroy();

    await expect(call(provider, entry)).resolves.toBe(200);

    expect(vendor.accepted[2]?.requests).toBe(0);
  });

  test("does not use a connection that was opened ahead to an address that may no longer be called", async () => {
    await using vendor = await startVendor(answerAtOnce);
    let isGranted = true;
    const tickets = new TlsTickets();
    const connect = buildTlsConnector({ timeout: 5_000, offer: ["http/1.1"], tickets, ca: authority.cert });
    const guarded: buildConnector.connector = (options, callback) =>
      isGranted ? connect(options, callback) : callback(new Error("it may not be called"), null);
    const calls = new UnrepeatedCalls({
      connectPlain: guarded,
      connectEither: guarded,
      connectHttp1: guarded,
      allows: () => isGranted,
    });
    const ask = async () => (await requestBy(vendor.url, { dispatcher: calls })).body.dump();
    await ask();
    await ask();
    await expect.poll(() => vendor.unused()).toBe(1);

    isGranted = false;

    await expect(ask()).rejects.toThrow("it may not be called");
    expect(vendor.accepted.map(({ requests }) => requests)).toEqual([1, 1, 0]);
    await calls.destroy();
  });

  test("leaves no connection open when the daemon ends", async () => {
    await using vendor = await startVendor(answerAtOnce);
    const provider = opened(vendor.host);
    const entry = order(vendor.url);
    await call(provider, entry);
    await call(provider, entry);
    await expect.poll(() => vendor.unused()).toBe(1);

    await provider.close();

    await expect.poll(() => vendor.accepted.every(({ socket }) => socket.destroyed)).toBe(true);
  });
});
