import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { type buildConnector, request as requestBy } from "undici";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import type { NoAnswerError, Provider, ProviderAnswer } from "../../../daemon/providers/protocol/provider.ts";
import { buildTlsConnector } from "../../../daemon/providers/transport/connect-tls.ts";
import { TlsTickets } from "../../../daemon/providers/transport/tls-tickets.ts";
import { UnrepeatedCalls } from "../../../daemon/providers/transport/unrepeated-calls.ts";
import { type Certificate, certificateMaker, hasOpenssl } from "../../remote/certificates.ts";
import { openHttpProvider } from "../../support/open-http-provider.ts";
import { entryOf } from "../../support/provider-entry.ts";
import { H2, type RawRequest, startRawHttp2Server } from "../../support/raw-http2-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A POST that must not be executed twice. */
function order(url: string, { attempts = 1, timeoutMs = 20_000, http = "", endpoint = "" } = {}): CatalogEntry {
  return entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${url}", allowPrivateNetwork: true, retry: {attempts: ${attempts}, backoffMs: 1}, timeoutMs: ${timeoutMs}, ${http}}
endpoints:
  /order:
    request: {method: POST, path: /order}
    input: {body: {type: object, properties: {note: {type: string}}}}
    price: {type: PER_CALL, amount: 0.01}
    ${endpoint}
`);
}

async function call(
  provider: Provider,
  entry: CatalogEntry,
  input = {},
  signal?: AbortSignal,
): Promise<ProviderAnswer> {
  const answer = await provider.start({ runId, entry, input }, { signal: signal ?? new AbortController().signal });
  if (answer.kind !== "answer") throw new Error("not an answer");
  return answer;
}

async function failureOf(work: Promise<unknown>): Promise<NoAnswerError> {
  return await work.then(
    () => Promise.reject(new Error("it was answered")),
    (error: unknown) => error as NoAnswerError,
  );
}

const ok = (request: RawRequest) => request.answer(request.stream, "{}");

describe.skipIf(!hasOpenssl)(
  "a call that must not be repeated, at a provider that speaks HTTP/2 (needs openssl)",
  () => {
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

    test("shares one connection with other calls, one after the other and at once", async () => {
      await using vendor = await startRawHttp2Server({ ...certificate, onRequest: ok });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry);
      await Promise.all(Array.from({ length: 20 }, async () => await call(provider, entry)));

      expect(vendor.requests()).toBe(21);
      expect(vendor.accepted()).toBe(1);
    });

    test("is made again on a new connection when a GOAWAY says that it was not processed", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request, index) => {
          if (index === 1) request.goAway(1, H2.noError);
          else ok(request);
        },
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry);
      const answer = await call(provider, entry);

      expect(answer).toMatchObject({ httpStatus: 200 });
      expect(vendor.accepted()).toBe(2);
      expect(vendor.requests()).toBe(3);
    });

    test("is also made again when the GOAWAY gives an error, as long as it names an earlier stream", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request, index) => {
          if (index === 1) request.goAway(1, H2.calm);
          else ok(request);
        },
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry);

      await expect(call(provider, entry)).resolves.toMatchObject({ httpStatus: 200 });
    });

    test("goes on when a GOAWAY counts it among those that are processed, and the next call has a new connection", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request, index) => {
          if (index === 0) request.goAway(request.stream, H2.noError);
          ok(request);
        },
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await expect(call(provider, entry)).resolves.toMatchObject({ httpStatus: 200 });
      await call(provider, entry);

      expect(vendor.requests()).toBe(2);
      expect(vendor.accepted()).toBe(2);
    });

    test.each<[string, (request: RawRequest) => void]>([
      [
        "a GOAWAY with an error that counts it among those that may be processed",
        ({ goAway, stream }) => goAway(stream, 2),
      ],
      [
        "a GOAWAY that counts it among those that may be processed, with the error of a refused stream",
        ({ goAway, stream }) => goAway(stream, H2.refusedStream),
      ],
      ["the stream is reset after the request was read", ({ reset, stream }) => reset(stream, H2.internalError)],
      ["the stream is cancelled", ({ reset, stream }) => reset(stream, H2.cancel)],
      ["the provider wants HTTP/1.1", ({ reset, stream }) => reset(stream, H2.http11Required)],
      ["the connection breaks without a word", ({ drop }) => drop()],
      [
        "the answer breaks off",
        ({ begin, reset, stream }) => {
          begin(stream, "{");
          reset(stream, H2.cancel);
        },
      ],
      [
        "it is refused after its answer has begun",
        ({ begin, reset, stream }) => {
          begin(stream, "{");
          reset(stream, H2.refusedStream);
        },
      ],
    ])("is made exactly once, and its outcome is unknown, when %s", async (_, onRequest) => {
      await using vendor = await startRawHttp2Server({ ...certificate, onRequest });
      await using provider = opened(vendor.host);

      const failure = await failureOf(call(provider, order(vendor.url, { attempts: 3 })));

      expect(failure).toMatchObject({ name: "NoAnswerError", source: "network", maybeExecuted: true });
      expect(failure.attempts).toHaveLength(1);
      expect(vendor.requests()).toBe(1);
    });

    test("is made again when its stream is refused", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request, index) => (index === 0 ? request.reset(request.stream, H2.refusedStream) : ok(request)),
      });
      await using provider = opened(vendor.host);

      const answer = await call(provider, order(vendor.url));

      expect(answer).toMatchObject({ httpStatus: 200 });
      expect(vendor.requests()).toBe(2);
    });

    test("is surely not executed when all its streams are refused, and each attempt asks twice", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: ({ reset, stream }) => reset(stream, H2.refusedStream),
      });
      await using provider = opened(vendor.host);

      const failure = await failureOf(call(provider, order(vendor.url, { attempts: 2 })));

      expect(failure).toMatchObject({ source: "network", maybeExecuted: false });
      expect(failure.message).toContain("refused");
      expect(failure.attempts).toHaveLength(2);
      expect(vendor.requests()).toBe(4);
    });

    test("goes on another connection when the open ones take no more streams", async () => {
      const waiting: RawRequest[] = [];
      await using vendor = await startRawHttp2Server({
        ...certificate,
        maxConcurrentStreams: 2,
        onRequest: (request, index) => {
          if (index === 0) return ok(request);
          waiting.push(request);
          if (waiting.length === 6) waiting.forEach(ok);
        },
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry);
      await Promise.all(Array.from({ length: 6 }, async () => await call(provider, entry)));

      const atOnce = vendor.connections.map(({ index }) => waiting.filter((request) => request.index === index).length);
      expect(Math.max(...atOnce)).toBe(2);
      expect(vendor.requests()).toBe(7);
    });

    test("is made on a new connection when a used one gets 421", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request, index) => request.answer(request.stream, "{}", index === 1 ? 421 : 200),
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry);

      await expect(call(provider, entry)).resolves.toMatchObject({ httpStatus: 200 });
      expect(vendor.accepted()).toBe(2);
      expect(vendor.requests()).toBe(3);
    });

    test("has 421 as its answer when a new connection gets it too", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request, index) => request.answer(request.stream, "{}", index === 0 ? 200 : 421),
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry);

      await expect(call(provider, entry)).resolves.toMatchObject({ httpStatus: 421, success: false });
      expect(vendor.requests()).toBe(3);
    });

    test("uses a new connection when an idle one was closed", async () => {
      await using vendor = await startRawHttp2Server({ ...certificate, onRequest: ok });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry);
      vendor.connections[0]?.drop();
      await expect.poll(() => vendor.open()).toBe(0);
      await expect(call(provider, entry)).resolves.toMatchObject({ httpStatus: 200 });

      expect(vendor.requests()).toBe(2);
    });

    test("waits for the handshake of another call, and if that fails, all who waited try at the same time", async () => {
      await using vendor = await startRawHttp2Server({ ...certificate, onRequest: ok });
      const tickets = new TlsTickets();
      const connect = buildTlsConnector({ timeout: 5_000, offer: ["h2"], tickets, ca: authority.cert });
      const held: buildConnector.Callback[] = [];
      let isReachable = true;
      const connector: buildConnector.connector = (options, callback) =>
        isReachable ? connect(options, callback) : void held.push(callback);
      const parts = { connectPlain: connector, connectEither: connector, connectHttp1: connector };
      const calls = new UnrepeatedCalls({ ...parts, allows: () => true });
      const dispatcher = calls.compose((dispatch) => dispatch);
      const ask = async () => await (await requestBy(vendor.url, { dispatcher, headers: {} })).body.dump();
      await ask();
      isReachable = false;
      vendor.connections[0]?.drop();
      await expect.poll(() => vendor.open()).toBe(0);

      const asked = Promise.allSettled([ask(), ask(), ask()]);
      await expect.poll(() => held.length).toBe(1);
      held[0]?.(new Error("unreachable"), null);
      await expect.poll(() => held.length).toBe(3);
      held.slice(1).forEach((callback) => callback(new Error("unreachable"), null));

      expect((await asked).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      await calls.destroy();
    });

    test("speaks HTTP/1.1 for a while after a connection broke without a word", async () => {
      let overHttp1 = 0;
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: ({ drop }) => drop(),
        http1: { isSpoken: () => false, listener: (_, response) => void response.end(`{"id":${(overHttp1 += 1)}}`) },
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await failureOf(call(provider, entry));
      await call(provider, entry);
      await call(provider, entry);

      expect(vendor.requests()).toBe(1);
      expect(overHttp1).toBe(2);
    });

    test("speaks HTTP/1.1 when the provider does from now on", async () => {
      let isOld = false;
      const bodies: string[] = [];
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request) => {
          isOld = true;
          ok(request);
          request.goAway(request.stream, H2.noError);
        },
        http1: {
          isSpoken: () => isOld,
          listener: (request, response) => {
            request.on("data", (part: Buffer) => bodies.push(part.toString()));
            request.on("end", () => response.end("{}"));
          },
        },
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      await call(provider, entry, { body: { note: "a" } });
      await call(provider, entry, { body: { note: "b" } });

      expect(vendor.requests()).toBe(1);
      expect(bodies).toEqual(['{"note":"b"}']);
    });

    test("ends at its deadline, and the other calls of its connection go on", async () => {
      const waiting: RawRequest[] = [];
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request, index) => (index === 0 ? ok(request) : void waiting.push(request)),
      });
      await using provider = opened(vendor.host);
      await call(provider, order(vendor.url));
      const timeUp = new AbortController();

      const late = failureOf(call(provider, order(vendor.url), {}, timeUp.signal));
      await expect.poll(() => waiting.length).toBe(1);
      const other = call(provider, order(vendor.url));
      await expect.poll(() => waiting.length).toBe(2);
      timeUp.abort(new Error("time is up"));

      await expect(late).resolves.toMatchObject({ maybeExecuted: true });
      waiting.forEach(ok);
      await expect(other).resolves.toMatchObject({ httpStatus: 200 });
      expect(vendor.accepted()).toBe(1);
    });

    test("goes on when its connection does not answer a PING, and the next call has a new connection", async () => {
      const waiting: RawRequest[] = [];
      await using vendor = await startRawHttp2Server({
        ...certificate,
        answersPings: false,
        onRequest: (request, index) => (index === 0 ? void waiting.push(request) : ok(request)),
      });
      await using provider = opened(vendor.host);
      const first = call(provider, order(vendor.url));
      await expect.poll(() => waiting.length).toBe(1);
      const silentUntil = performance.now() + 2_000;
      using clock = vi.spyOn(performance, "now").mockImplementation(() => silentUntil);

      const second = await call(provider, order(vendor.url));
      waiting.forEach(ok);

      expect(clock).toHaveBeenCalled();
      expect(second).toMatchObject({ httpStatus: 200 });
      await expect(first).resolves.toMatchObject({ httpStatus: 200 });
      expect(vendor.accepted()).toBe(2);
      expect(vendor.requests()).toBe(2);
    });

    test("is not disturbed by a provider that measures its round trips by pings", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: (request) => {
          request.ping(500);
          ok(request);
        },
      });
      await using provider = opened(vendor.host);
      const entry = order(vendor.url);

      for (let made = 0; made < 4; made += 1) await call(provider, entry);

      expect(vendor.accepted()).toBe(1);
    });

    test("is cut off from a provider that floods the connection with pings", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: ({ ping }) => {
          const flood = () => {
            ping(500);
            if (vendor.open() > 0) setImmediate(flood);
          };
          flood();
        },
      });
      await using provider = opened(vendor.host);

      const failure = await failureOf(call(provider, order(vendor.url)));

      expect(failure).toMatchObject({ source: "network", maybeExecuted: true });
      await expect.poll(() => vendor.open()).toBe(0);
    });

    test("has a limit on the size of its answer", async () => {
      await using vendor = await startRawHttp2Server({
        ...certificate,
        onRequest: ({ begin, stream }) => begin(stream, `"${"x".repeat(16_000)}`),
      });
      await using provider = opened(vendor.host);

      const failure = await failureOf(call(provider, order(vendor.url, { http: "maxResponseBytes: 10000" })));

      expect(failure).toMatchObject({ source: "provider", maybeExecuted: true });
      expect(failure.message).toContain("larger than the 10000 bytes");
    });

    test("sends a header without the spaces at its ends, with which servers of HTTP/2 ignore it", async () => {
      const notes: unknown[] = [];
      const server = createSecureServer({ key: certificate.key, cert: certificate.cert }, (incoming, response) => {
        notes.push(incoming.headers["x-note"]);
        response.end("{}");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const provider = opened(host);
      const entry = order(`https://${host}`, { http: 'headers: {x-note: "${input.body.note}"}' });

      const calling = call(provider, entry, { body: { note: " two words\t" } });

      await expect(calling).resolves.toMatchObject({ httpStatus: 200 });
      expect(notes).toEqual(["two words"]);
      await provider.close();
      server.close();
    });

    test("is not made at a private address, however the provider would speak", async () => {
      await using vendor = await startRawHttp2Server({ ...certificate, onRequest: ok });
      await using provider = opened("elsewhere.invalid");

      const failure = await failureOf(call(provider, order(vendor.url)));

      expect(failure).toMatchObject({ source: "mkt", maybeExecuted: false });
      expect(vendor.accepted()).toBe(0);
    });

    test("is not made with a certificate for another name, nor one of an unknown authority", async () => {
      await using vendor = await startRawHttp2Server({ ...certificate, onRequest: ok });
      await using provider = openHttpProvider([vendor.host]);

      const failure = await failureOf(call(provider, order(vendor.url)));

      expect(failure).toMatchObject({ source: "network", maybeExecuted: false });
      expect(failure.message).toContain("the TLS handshake failed");
      expect(vendor.requests()).toBe(0);
    });

    test("leaves no connection open when the daemon ends", async () => {
      await using vendor = await startRawHttp2Server({ ...certificate, onRequest: ok });
      const provider = opened(vendor.host);
      await call(provider, order(vendor.url));

      await provider.close();

      await expect.poll(() => vendor.open()).toBe(0);
    });
  },
);
