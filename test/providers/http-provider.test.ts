import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import type { NoAnswerError, Provider, ProviderAnswer, ProviderJob } from "../../daemon/providers/protocol/provider.ts";
import { type FakeAnswer, type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };

/** Accepts connections and never says a word, not even for a TLS handshake. */
async function startSilentServer(): Promise<{ host: string } & AsyncDisposable> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A POST that must not be executed twice, unless the endpoint's lines say otherwise. */
function order(
  vendor: Pick<FakeProvider, "url">,
  { endpoint = "", http = "", request = "", attempts = 3 } = {},
): CatalogEntry {
  return entryOf(`
mkt: 1
provider: vendor
secrets: {id: {env: VENDOR_ID}, key: {env: VENDOR_KEY}}
http: {baseUrl: "${vendor.url}", allowPrivateNetwork: true, retry: {attempts: ${attempts}, backoffMs: 1}, ${http}}
endpoints:
  /order:
    request: {method: POST, path: /order, ${request}}
    price: {type: PER_CALL, amount: 0.01}
    ${endpoint}
`);
}

async function call(provider: Provider, entry: CatalogEntry, input = {}): Promise<ProviderAnswer> {
  const answer = await provider.start({ runId, entry, input }, anyTime);
  if (answer.kind !== "answer") throw new Error("not an answer");
  return answer;
}

async function failureOf(work: Promise<unknown>): Promise<NoAnswerError> {
  return await work.then(
    () => Promise.reject(new Error("it was answered")),
    (error: unknown) => error as NoAnswerError,
  );
}

/** RFC 6750, 3.1. */
const refusedToken = { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } };

describe("a call that must not be executed twice", () => {
  test.each<[string, FakeAnswer]>([
    ["the connection is reset after it was sent", { reset: true }],
    ["the answer breaks off", { truncated: true, json: { id: 1 } }],
  ])("is made exactly once when %s", async (_, answer) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", answer, { json: { id: 2 } });

    const failure = await failureOf(call(provider, order(vendor)));

    expect(failure).toMatchObject({ name: "NoAnswerError", source: "network", maybeExecuted: true });
    expect(failure.attempts).toHaveLength(1);
    expect(vendor.count("POST /order")).toBe(1);
  });

  test("is repeated when the provider surely did not take it, and every attempt is recorded", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { status: 429 }, { status: 503, headers: { "retry-after": "0" } }, { json: { id: 3 } });

    const answer = await call(provider, order(vendor));

    expect(answer).toMatchObject({ output: { id: 3 } });
    expect(answer.attempts.map(({ httpStatus }) => httpStatus)).toEqual([429, 503, 200]);
  });

  test("uses a new connection every time, so that a kept one cannot break under it", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: {} });

    await call(provider, order(vendor));
    // A kept one would still be open, and idle, so that the next call would take it.
    await expect.poll(() => vendor.connections()).toBe(0);
    await call(provider, order(vendor));

    expect(vendor.accepted()).toBe(2);
  });

  test("ends with the provider's last answer when the attempts are used up", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { status: 429, json: { message: "slow down" } });

    const answer = await call(provider, order(vendor));

    expect(answer).toMatchObject({ httpStatus: 429, success: false, error: { message: "slow down" } });
    expect(vendor.count("POST /order")).toBe(3);
  });

  test("does not wait for a retry that the deadline would not allow", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { status: 429, headers: { "retry-after": "60" } });

    const answer = await call(provider, order(vendor, { http: "timeoutMs: 5000" }));

    expect(answer.httpStatus).toBe(429);
    expect(vendor.count("POST /order")).toBe(1);
  });

  test("is surely not executed when nobody listens", async () => {
    const gone = await startFakeProvider();
    await gone.close();
    await using provider = openHttpProvider([gone.host]);

    const failure = await failureOf(call(provider, order(gone)));

    expect(failure).toMatchObject({ source: "network", maybeExecuted: false });
    expect(failure.message).toContain("the connection was refused");
    expect(failure.attempts).toHaveLength(3);
  });

  test("is surely not executed when the name does not exist", async () => {
    await using provider = openHttpProvider(["nobody.invalid"]);
    const entry = order({ url: "http://nobody.invalid" }, { attempts: 1 });

    const failure = await failureOf(call(provider, entry));

    expect(failure).toMatchObject({ source: "network", maybeExecuted: false });
    expect(failure.message).toMatch(/nobody\.invalid: the name/);
  });

  test("is surely not executed when the TLS handshake fails", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    const entry = order({ url: `https://${vendor.host}` }, { attempts: 1 });

    const failure = await failureOf(call(provider, entry));

    expect(failure).toMatchObject({ source: "network", maybeExecuted: false });
    expect(vendor.calls).toHaveLength(0);
  });
});

describe("a call that may be executed twice", () => {
  test("is repeated after a reset, a broken answer and a 502", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { reset: true }, { truncated: true }, { status: 502 }, { json: { id: 4 } });

    const answer = await call(provider, order(vendor, { endpoint: "idempotent: true", attempts: 4 }));

    expect(answer.output).toEqual({ id: 4 });
    expect(answer.attempts).toHaveLength(4);
  });

  test("uses the connection of the call before", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: {} });
    const entry = order(vendor, { endpoint: "idempotent: true" });

    await call(provider, entry);
    // The connection is free again a moment after its answer was read.
    await setImmediate();
    await call(provider, entry);

    expect(vendor.accepted()).toBe(1);
  });

  test("may have been executed by the first attempt, though nobody listened at the last", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", () => {
      void vendor.close();
      return { reset: true };
    });

    const failure = await failureOf(call(provider, order(vendor, { endpoint: "idempotent: true", attempts: 2 })));

    expect(failure.message).toContain("the connection was refused");
    expect(failure).toMatchObject({ source: "network", maybeExecuted: true });
    expect(failure.attempts).toHaveLength(2);
  });

  test("may have been executed by the first attempt, though time is up while it waits to try for the third time", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    const deadline = new AbortController();
    vendor.on("POST /order", { status: 502 }, () => {
      setTimeout(() => deadline.abort(new Error("deadline")), 100);
      return { status: 429, headers: { "retry-after": "20" } };
    });
    const entry = order(vendor, { endpoint: "idempotent: true" });

    const failure = await failureOf(provider.start({ runId, entry, input: {} }, { signal: deadline.signal }));

    expect(failure.attempts.map(({ httpStatus }) => httpStatus)).toEqual([502, 429]);
    expect(failure).toMatchObject({ source: "mkt", maybeExecuted: true });
  });
});

describe("a deadline", () => {
  test.each<[string, FakeAnswer]>([
    ["never answers", { hang: true }],
    ["never ends its answer", { unfinished: true, text: "[1," }],
    ["drips one byte after the other", { dripEveryMs: 20, text: "[" }],
  ])("ends a call to a provider that %s, and closes the socket", async (_, answer) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", answer);
    const deadline = new AbortController();
    setTimeout(() => deadline.abort(new Error("deadline")), 300);

    const failure = await failureOf(
      provider.start({ runId, entry: order(vendor), input: {} }, { signal: deadline.signal }),
    );

    expect(failure).toMatchObject({ name: "NoAnswerError", maybeExecuted: true, cause: deadline.signal.reason });
    await expect.poll(() => vendor.connections()).toBe(0);
  });

  test("that comes while the connection is being made leaves the provider surely uncalled", async () => {
    await using silent = await startSilentServer();
    await using provider = openHttpProvider([silent.host]);
    const deadline = new AbortController();
    setTimeout(() => deadline.abort(new Error("deadline")), 200);
    const entry = order({ url: `https://${silent.host}` });

    const failure = await failureOf(provider.start({ runId, entry, input: {} }, { signal: deadline.signal }));

    // The end of the time for connecting, which comes later, is told as a fault of the network.
    expect(failure).toMatchObject({ source: "mkt", maybeExecuted: false, cause: deadline.signal.reason });
  });

  test("that comes while waiting to try again tells what is known", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { status: 429, headers: { "retry-after": "20" } });
    const deadline = new AbortController();

    const failing = failureOf(provider.start({ runId, entry: order(vendor), input: {} }, { signal: deadline.signal }));
    await expect.poll(() => vendor.answered(), { timeout: 15_000 }).toBe(1);
    setTimeout(() => deadline.abort(new Error("deadline")), 500);

    expect(await failing).toMatchObject({ source: "mkt", maybeExecuted: false, attempts: [{ httpStatus: 429 }] });
  });

  test("of one exchange of a job ends that exchange alone", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { id: "j" } });
    vendor.on("GET /jobs/j", { hang: true }, { json: { state: "done", result: 1 } });
    const poll = "{method: GET, path: '/jobs/${run.externalId}', status: $.state, states: {done: [done]}}";
    const entry = order(vendor, { http: "timeoutMs: 200", endpoint: `async: {start: {id: $.id}, poll: ${poll}}` });
    const job = (await provider.start({ runId, entry, input: {} }, anyTime)) as ProviderJob;

    const news = (await provider.poll({ runId, entry, input: {} }, job, anyTime)) as ProviderJob;
    const answer = await provider.poll({ runId, entry, input: {} }, news, anyTime);

    expect(news.attempts[0]?.error).toContain("(200 ms)");
    expect(answer).toMatchObject({ kind: "answer", output: { state: "done", result: 1 } });
  });
});

describe("an answer's body", () => {
  const text = JSON.stringify({ word: "maçã" });

  test.each<[string, string, FakeAnswer, unknown]>([
    ["JSON", "auto", { json: { a: 1 } }, { a: 1 }],
    ["JSON of a special type", "auto", { text: "[1]", headers: { "content-type": "application/hal+json" } }, [1]],
    ["JSON that is called plain text", "auto", { text: "[1]", headers: { "content-type": "text/plain" } }, [1]],
    ["plain text", "auto", { text: "hello", headers: { "content-type": "text/plain" } }, "hello"],
    ["JSON asked for as text", "text", { json: [1] }, "[1]"],
    [
      "text in another charset",
      "auto",
      { bytes: Buffer.from("maçã", "latin1"), headers: { "content-type": "text/plain; charset=iso-8859-1" } },
      "maçã",
    ],
    [
      "bytes",
      "auto",
      { bytes: Buffer.from([1, 2]), headers: { "content-type": "image/png" } },
      { contentType: "image/png", base64: "AQI=" },
    ],
    ["JSON asked for as bytes", "base64", { json: 1 }, { contentType: "application/json", base64: "MQ==" }],
    ["nothing", "auto", { status: 204 }, null],
    [
      "gzip",
      "auto",
      { bytes: gzipSync(text), headers: { "content-type": "application/json", "content-encoding": "gzip" } },
      { word: "maçã" },
    ],
    [
      "deflate",
      "auto",
      { bytes: deflateSync(text), headers: { "content-type": "application/json", "content-encoding": "deflate" } },
      { word: "maçã" },
    ],
    [
      "brotli",
      "auto",
      { bytes: brotliCompressSync(text), headers: { "content-type": "application/json", "content-encoding": "br" } },
      { word: "maçã" },
    ],
  ])("that is %s with media %s is read", async (_, media, answer, expected) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", answer);

    const got = await call(provider, order(vendor, { endpoint: `output: {media: ${media}}` }));

    expect(got).toMatchObject({ success: true, output: expected });
    expect(vendor.calls[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test("that is no JSON although it should be is no readable answer", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { text: "{broken", headers: { "content-type": "application/json" } });

    const failure = await failureOf(call(provider, order(vendor)));

    expect(failure).toMatchObject({ source: "provider", maybeExecuted: true });
    expect(failure.message).toContain("the answer is not valid JSON");
  });

  test("of an error status does not matter: the status is the answer", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { status: 500, text: "Internal", headers: { "content-type": "application/json" } });

    const answer = await call(provider, order(vendor));

    expect(answer).toMatchObject({ httpStatus: 500, success: false, error: { message: "Internal", body: "Internal" } });
  });

  test("that lacks the selected part gives no output and says so", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { other: 1 } });

    const answer = await call(provider, order(vendor, { endpoint: "output: {select: $.list}" }));

    expect(answer).toMatchObject({ success: true, output: null, notes: [expect.stringContaining("$.list")] });
  });
});

describe("a multipart card", () => {
  test("sends its fields as form data", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: {} });

    await call(provider, order(vendor, { request: "encoding: multipart" }), { body: { name: "café" } });

    expect(vendor.calls[0]?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(vendor.calls[0]?.text).toContain('name="name"\r\n\r\ncafé\r\n');
  });
});

describe("client credentials", () => {
  const oauth = (vendor: FakeProvider, style: "basic" | "body" = "basic") =>
    order(vendor, {
      http: `auth: {type: clientCredentials, tokenUrl: "${vendor.url}/token", clientId: "\${secret.id}", clientSecret: "\${secret.key}", scope: read, style: ${style}}`,
    });
  const secrets = { id: "client-1", key: "very secret" };

  test("get one token for many calls", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /token", { json: { access_token: "token-one", expires_in: 3600 }, delayMs: 20 });
    vendor.on("POST /order", { json: {} });

    await Promise.all([call(provider, oauth(vendor)), call(provider, oauth(vendor)), call(provider, oauth(vendor))]);

    expect(vendor.count("POST /token")).toBe(1);
    expect(vendor.calls[0]).toMatchObject({
      text: "grant_type=client_credentials&scope=read",
      headers: { authorization: `Basic ${Buffer.from("client-1:very+secret").toString("base64")}` },
    });
    expect(vendor.calls.at(-1)?.headers["authorization"]).toBe("Bearer token-one");
  });

  test("are form-encoded, so that no character of theirs parts or ends them (RFC 6749, 2.3.1)", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { id: "a:b", key: "p%4/ß+" } });
    vendor.on("POST /token", { json: { access_token: "token-one" } });
    vendor.on("POST /order", { json: {} });

    await call(provider, oauth(vendor));

    const [, told = ""] = vendor.calls[0]?.headers["authorization"]?.split(" ") ?? [];
    expect(Buffer.from(told, "base64").toString()).toBe("a%3Ab:p%254%2F%C3%9F%2B");
  });

  test("that end for many calls at once are got anew once for all of them", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    let given = 0;
    vendor.on("POST /token", () => ({ json: { access_token: `token-${(given += 1)}` }, delayMs: 10 }));
    vendor.on("POST /order", ({ headers }) =>
      headers["authorization"] === `Bearer token-${Math.max(2, given)}`
        ? { json: {} }
        : { ...refusedToken, delayMs: 10 },
    );

    const answers = await Promise.all(Array.from({ length: 8 }, async () => await call(provider, oauth(vendor))));

    expect(answers.every(({ success }) => success)).toBe(true);
    expect(given).toBe(2);
  });

  test("may go into the body of the token call", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /token", { json: { access_token: "token-one" } });
    vendor.on("POST /order", { json: {} });

    await call(provider, oauth(vendor, "body"));

    expect(vendor.calls[0]?.text).toBe(
      "grant_type=client_credentials&scope=read&client_id=client-1&client_secret=very+secret",
    );
  });

  test.each([
    ["says nothing", {}],
    ["names only the scheme", { "www-authenticate": 'Bearer realm="orders"' }],
    ["names another scheme", { "www-authenticate": 'Basic error="invalid_token"' }],
  ])("make no second call of one that may have been executed, where a 401 %s", async (_what, headers) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /token", { json: { access_token: "token-one" } }, { json: { access_token: "token-two" } });
    vendor.on("POST /order", { status: 401, headers }, { json: { id: 5 } });

    const first = await call(provider, oauth(vendor));
    const next = await call(provider, oauth(vendor));

    expect(first).toMatchObject({ success: false, attempts: [{ httpStatus: 401 }] });
    expect(next).toMatchObject({ output: { id: 5 }, attempts: [{ httpStatus: 200 }] });
    expect(vendor.count("POST /order")).toBe(2);
  });

  test("are refreshed once after a 401", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /token", { json: { access_token: "token-one" } }, { json: { access_token: "token-two" } });
    vendor.on("POST /order", refusedToken, { json: { id: 5 } });

    const answer = await call(provider, oauth(vendor));

    expect(answer).toMatchObject({ output: { id: 5 }, attempts: [{ httpStatus: 401 }, { httpStatus: 200 }] });
    expect(vendor.calls.at(-1)?.headers["authorization"]).toBe("Bearer token-two");
  });

  test("that stay refused end as the provider's 401", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /token", { json: { access_token: "token-one" } });
    vendor.on("POST /order", refusedToken);

    const answer = await call(provider, oauth(vendor));

    expect(answer.httpStatus).toBe(401);
    expect(vendor.count("POST /order")).toBe(2);
  });

  test("that get no token leave the provider uncalled", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /token", { status: 400, json: { error: "invalid_client" } });

    const failure = await failureOf(call(provider, oauth(vendor)));

    expect(failure).toMatchObject({ maybeExecuted: false });
    expect(failure.message).toContain("invalid_client");
    expect(vendor.count("POST /order")).toBe(0);
  });
});

describe("a built-in provider", () => {
  test("is called where it listens, with its token, and nothing else on loopback is", async () => {
    await using atlas = await startFakeProvider();
    await using other = await startFakeProvider();
    await using provider = openHttpProvider([], {
      builtinOrigin: (name) => Promise.resolve({ url: name === "atlas" ? atlas.url : "", token: "atlas-token" }),
    });
    atlas.on("POST /order", { json: { ok: true } });
    const builtin = order({ url: "builtin:atlas" });
    const stray = order(
      { url: "builtin:atlas" },
      { request: `url: "${other.url}/x"`, http: `allowHosts: ["${other.host}"],` },
    );

    const answer = await call(provider, builtin);
    const failure = await failureOf(call(provider, { ...stray, request: { ...stray.request, url: `${other.url}/x` } }));

    expect(answer.output).toEqual({ ok: true });
    expect(atlas.calls[0]?.headers["authorization"]).toBe("Bearer atlas-token");
    expect(failure).toMatchObject({ name: "NoAnswerError", maybeExecuted: false });
    expect(other.accepted()).toBe(0);
  });
});

describe("a job that is done at once", () => {
  const poll = "{method: GET, path: '/jobs/${run.externalId}', status: $.state, states: {done: [done]}}";

  test("answers with the start's own body when that is the result", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { status: 200, json: [1, 2] });
    const entry = order(vendor, {
      endpoint: `async: {start: {id: $.id, doneIf: {status: [200]}}, poll: ${poll}, result: {method: GET, path: /r}}`,
    });

    const answer = await provider.start({ runId, entry, input: {} }, anyTime);

    expect(answer).toMatchObject({ kind: "answer", output: [1, 2] });
  });

  test("reads the result by its id when it has one", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { id: "j", state: "done" } });
    vendor.on("GET /jobs/j/result", { json: [3] });
    const result = "{method: GET, path: '/jobs/${run.externalId}/result'}";
    const entry = order(vendor, {
      endpoint: `async: {start: {id: $.id, doneIf: {match: {$.state: done}}}, poll: ${poll}, result: ${result}}`,
    });

    const answer = await provider.start({ runId, entry, input: {} }, anyTime);

    expect(answer).toMatchObject({ kind: "answer", output: [3] });
  });
});

describe("a job", () => {
  const poll =
    "{method: GET, path: '/jobs/${run.externalId}', status: $.state, states: {done: [done]}, keep: {token: $.token}}";
  const pages = "pages: {items: $.items, cursor: $.next, param: after, max: 2}";
  const jobs = (vendor: FakeProvider, more = "") =>
    order(vendor, {
      endpoint: `async: {start: {id: $.id}, poll: ${poll}, result: {method: GET, path: '/r/\${state.token}', ${pages}}}
    usage: {cost: {from: "start:$.usd"}, units: elapsed}
    ${more}`,
    });

  test.each([
    [[418], 418, "job"],
    [[418], 503, "answer"],
  ])(
    "goes on where a poll answers what its file calls transient: %j, and %i comes",
    async (transient, status, kind) => {
      await using vendor = await startFakeProvider();
      await using provider = openHttpProvider([vendor.host]);
      vendor.on("POST /order", { json: { id: "j" } });
      vendor.on("GET /jobs/j", { status });
      const entry = order(vendor, {
        endpoint: `async: {start: {id: $.id}, poll: ${poll.slice(0, -1)}, transient: [${transient.join(", ")}]}}`,
      });
      const request = { runId, entry, input: {} };

      const job = await provider.start(request, anyTime);
      const polled = await provider.poll(request, job as ProviderJob, anyTime);

      expect(polled.kind).toBe(kind);
    },
  );

  test("keeps what a poll tells, and what the start told about its cost", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { id: 42, usd: 0.5 } });
    vendor.on("GET /jobs/42", { json: { state: "done", token: "t9" } });
    vendor.on("GET /r/t9", { json: { items: [1] } });
    const request = { runId, entry: jobs(vendor), input: {} };
    const job = (await provider.start(request, anyTime)) as ProviderJob;

    const answer = (await provider.poll(request, job, anyTime)) as ProviderAnswer;

    expect(answer).toMatchObject({ output: { items: [1] }, measured: { costMicroDollars: 500_000 } });
    expect(answer.measured.units).toBeGreaterThanOrEqual(0);
  });

  test("asks for further pages of its result in the body, where its file says so", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { id: "j" } });
    vendor.on("GET /jobs/j", { json: { state: "done" } });
    vendor.on("POST /r", ({ json }) => ({
      json: json.page.cursor === undefined ? { items: [1], next: "n2" } : { items: [2] },
    }));
    const inBody = "pages: {items: $.items, cursor: $.next, param: page.cursor, in: body}";
    const entry = order(vendor, {
      endpoint: `async: {start: {id: $.id}, poll: ${poll}, result: {method: POST, path: /r, body: {page: {size: 1}}, ${inBody}}}`,
    });
    const request = { runId, entry, input: {} };
    const job = (await provider.start(request, anyTime)) as ProviderJob;

    const answer = (await provider.poll(request, job, anyTime)) as ProviderAnswer;

    expect(answer.output).toMatchObject({ items: [1, 2] });
    expect(vendor.calls.slice(-2).map(({ json, query }) => ({ json: json as unknown, query: [...query] }))).toEqual([
      { json: { page: { size: 1 } }, query: [] },
      { json: { page: { size: 1, cursor: "n2" } }, query: [] },
    ]);
  });

  test("with more pages than are read says that its result is cut", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { id: "j" } });
    vendor.on("GET /jobs/j", { json: { state: "done", token: "t" } });
    vendor.on("GET /r/t", ({ query }) => ({ json: { items: [1], next: `${query.get("after") ?? ""}x` } }));
    const request = { runId, entry: jobs(vendor), input: {} };
    const job = (await provider.start(request, anyTime)) as ProviderJob;

    const answer = (await provider.poll(request, job, anyTime)) as ProviderAnswer;

    expect(answer.output).toMatchObject({ items: [1, 1] });
    expect(answer.notes).toEqual([expect.stringContaining("more than the 2 pages")]);
  });

  test.each(["${secret.apiKey}", "${input.queryParams.q}", "${run.id}", "${state.token}", "a ${ b", "${nothing}"])(
    "asks for the next page with the provider's cursor as it came: %s",
    async (cursor) => {
      await using vendor = await startFakeProvider();
      await using provider = openHttpProvider([vendor.host], { secrets: { apiKey: "sk-of-the-vendor" } });
      vendor.on("POST /order", { json: { id: "j" } });
      vendor.on("GET /jobs/j", { json: { state: "done", token: "t" } });
      vendor.on("GET /r/t", ({ query }) => ({
        json: query.has("after") ? { items: [query.getAll("after")] } : { items: [], next: cursor },
      }));
      const request = { runId, entry: jobs(vendor), input: { queryParams: { q: "of the caller" } } };
      const job = (await provider.start(request, anyTime)) as ProviderJob;

      const answer = (await provider.poll(request, job, anyTime)) as ProviderAnswer;

      expect(answer.output).toMatchObject({ items: [[cursor]] });
    },
  );

  test("whose pages together are over the limit has no readable result", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { id: "j" } });
    vendor.on("GET /jobs/j", { json: { state: "done", token: "t" } });
    vendor.on("GET /r/t", ({ query }) => ({
      json: { items: ["x".repeat(600)], next: query.has("after") ? null : "p" },
    }));
    const request = { runId, entry: jobs(vendor, "http: {maxResponseBytes: 1000}"), input: {} };
    const job = (await provider.start(request, anyTime)) as ProviderJob;

    const failure = await failureOf(provider.poll(request, job, anyTime));

    expect(failure).toMatchObject({ source: "provider", maybeExecuted: true });
    expect(failure.message).toContain("1000 bytes");
  });

  test("of a provider that cannot stop says so", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /order", { json: { id: "j" } });
    const request = { runId, entry: jobs(vendor), input: {} };
    const job = (await provider.start(request, anyTime)) as ProviderJob;

    expect(await provider.stop(request, job, anyTime)).toEqual({ outcome: "unsupported", attempts: [] });
  });
});
