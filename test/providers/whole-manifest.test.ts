import { describe, expect, test } from "vitest";
import type { FakeAnswer } from "../support/fake-provider.ts";
import { serveOneEndpoint } from "../support/one-endpoint.ts";

const billed = { price: { type: "PER_CALL", amount: 0.01 } };

describe("what the provider says that a call cost", () => {
  test.each<[string, object, FakeAnswer, number]>([
    [
      "credits of its own in the body",
      { from: "$.meta.credits", usdPerUnit: 0.004 },
      { json: { meta: { credits: 15 } } },
      60_000,
    ],
    ["dollars in a header", { from: "header:X-Cost" }, { json: {}, headers: { "x-cost": "0.0123" } }, 12_300],
    ["cents in the body", { from: "$.cents", unit: "CENT" }, { json: { cents: 2.5 } }, 25_000],
    ["nothing after all: then what the price says", { from: "$.cents" }, { json: {} }, 10_000],
  ])("is kept with the run: %s", async (_, cost, answer, microDollars) => {
    await using served = await serveOneEndpoint({ endpoint: { ...billed, usage: { cost } } });
    served.vendor.on("GET /it", answer);

    const { body } = await served.run();

    expect(body.billing.actualCost.value).toBe(microDollars);
    expect(body.billing.reportedCost.value).toBe(10_000);
  });
});

describe("an answer that is no JSON", () => {
  const typed = (type: string, bytes: Buffer): FakeAnswer => ({ bytes, headers: { "content-type": type } });
  test.each<[string, object, FakeAnswer, unknown]>([
    ["text in UTF-8", {}, typed("text/csv; charset=utf-8", Buffer.from("país,1")), "país,1"],
    ["text in latin-1", {}, typed("text/plain; charset=ISO-8859-1", Buffer.from("país", "latin1")), "país"],
    ["XML", {}, typed("application/atom+xml", Buffer.from("<a/>")), "<a/>"],
    ["bytes", {}, typed("image/png", Buffer.from([137, 80])), { contentType: "image/png", base64: "iVA=" }],
    [
      "bytes by the endpoint's word",
      { output: { media: "base64" } },
      typed("text/plain", Buffer.from("hi")),
      { contentType: "text/plain", base64: "aGk=" },
    ],
    ["JSON that the endpoint calls text", { output: { media: "text" } }, { json: [1] }, "[1]"],
    ["JSON that is called text by its sender", { output: { media: "json" } }, typed("text/plain", Buffer.from("7")), 7],
  ])("is read: %s", async (_, endpoint, answer, output) => {
    await using served = await serveOneEndpoint({ endpoint });
    served.vendor.on("GET /it", answer);

    const { body } = await served.run();

    expect(body).toMatchObject({ status: "COMPLETED", output });
  });
});

describe("an error rule", () => {
  const rules = [
    { when: { match: { "$.code": [404, "404"] } }, as: { status: 404, message: "$.why" } },
    { when: { status: ["4xx"], match: { "header:x-kind": "none" } }, as: { empty: true } },
    { when: { status: ["2xx"], missing: ["$.items", "$.code"] }, as: { status: 502, message: "no items came" } },
  ];
  const counted = {
    usage: { count: "$.items", estimate: { max: 10 } },
    output: { select: "$.items" },
    price: { type: "PER_RESULT", amount: 0.01, flatFee: 0.001 },
  };

  test.each<[string, FakeAnswer, object]>([
    [
      "makes a not-found inside a 200 an error that is not charged",
      { json: { code: "404", why: "no such city" } },
      { providerResponse: { httpStatus: 404, error: { message: "no such city" } }, output: null },
    ],
    [
      "makes a 404 that means nobody was found an empty success",
      { status: 404, headers: { "x-kind": "none" }, json: {} },
      { providerResponse: { httpStatus: 200 }, resultCount: null, output: [] },
    ],
    [
      "makes what is missing an error in its own words",
      { json: { other: 1 } },
      { providerResponse: { httpStatus: 502, error: { message: "no items came" } } },
    ],
    [
      "that does not match leaves the answer as it is",
      { status: 403, json: { message: "forbidden" } },
      { providerResponse: { httpStatus: 403, error: { message: "forbidden" } } },
    ],
  ])("%s", async (_, answer, expected) => {
    await using served = await serveOneEndpoint({ endpoint: { ...counted, errors: rules } });
    served.vendor.on("GET /it", answer);

    const { body } = await served.run();

    expect(body).toMatchObject({ status: "COMPLETED", ...expected });
    const isCharged = body.providerResponse.httpStatus === 200;
    expect(body.billing.reportedCost.value).toBe(isCharged ? 1_000 : 0);
  });
});

/** An endpoint behind OAuth, and an upstream that hands out numbered tokens; `revoke` makes it refuse all there are. */
async function serveWithTokens(auth: object = {}) {
  const served = await serveOneEndpoint((upstream) => ({
    environment: { VENDOR_ID: "the-id", VENDOR_SECRET: "the-secret-4711" },
    file: { secrets: { id: { env: "VENDOR_ID" }, secret: { env: "VENDOR_SECRET" } } },
    http: {
      auth: {
        type: "clientCredentials",
        tokenUrl: `${upstream}/token`,
        clientId: "${secret.id}",
        clientSecret: "${secret.secret}",
        ...auth,
      },
    },
  }));
  let handedOut = 0;
  let firstValid = 1;
  served.vendor.on("POST /token", () => {
    handedOut += 1;
    return { json: { access_token: `token-${handedOut}-abcdef`, expires_in: 3_600 }, delayMs: 30 };
  });
  served.vendor.on("GET /it", ({ headers }) => {
    const number = Number(/^Bearer token-(\d+)-abcdef$/.exec(headers.authorization ?? "")?.[1] ?? 0);
    return number >= firstValid
      ? { json: { number } }
      : { status: 401, json: { message: "expired" }, headers: { "www-authenticate": 'Bearer error="invalid_token"' } };
  });
  return Object.assign(served, {
    revoke(tokens = handedOut) {
      firstValid = tokens + 1;
    },
  });
}

describe("OAuth client credentials", () => {
  test("are asked once for all runs that come at the same time, and after", async () => {
    await using served = await serveWithTokens({ scope: "read write" });

    const answers = await Promise.all([1, 2, 3].map(async () => await served.run()));
    await served.run();

    expect(answers.map(({ body }) => body.output)).toEqual([{ number: 1 }, { number: 1 }, { number: 1 }]);
    expect(served.vendor.count("POST /token")).toBe(1);
    const [tokenCall] = served.vendor.calls;
    expect(tokenCall?.text).toBe("grant_type=client_credentials&scope=read+write");
    expect(tokenCall?.headers.authorization).toBe(`Basic ${Buffer.from("the-id:the-secret-4711").toString("base64")}`);
  });

  test("go into the body of the token call where the file says so", async () => {
    await using served = await serveWithTokens({ style: "body" });

    await served.run();

    expect(Object.fromEntries(new URLSearchParams(served.vendor.calls[0]?.text))).toEqual({
      grant_type: "client_credentials",
      client_id: "the-id",
      client_secret: "the-secret-4711",
    });
  });

  test("are refreshed once after a 401, and the run ends well", async () => {
    await using served = await serveWithTokens();
    await served.run();
    served.revoke();

    const { body } = await served.run();

    expect(body).toMatchObject({ status: "COMPLETED", output: { number: 2 } });
    expect(served.vendor.count("POST /token")).toBe(2);
  });

  test("that stay refused are asked no second time: the 401 is the answer", async () => {
    await using served = await serveWithTokens();
    served.revoke(1_000);

    const { body } = await served.run();

    expect(body.providerResponse).toMatchObject({ httpStatus: 401, error: { message: "expired" } });
    expect(served.vendor.count("POST /token")).toBe(2);
    expect(served.vendor.count("GET /it")).toBe(2);
  });
});

describe("an idempotency header", () => {
  test("carries the run's id, the same for every attempt, and makes a reset harmless", async () => {
    const request = { method: "POST", idempotency: { header: "Idempotency-Key" } };
    await using served = await serveOneEndpoint({ request });
    served.vendor.on("POST /it", { reset: true }, { status: 502 }, { json: { id: 1 } });

    const { body } = await served.run();

    expect(body).toMatchObject({ status: "COMPLETED", output: { id: 1 } });
    expect(served.vendor.calls.map(({ headers }) => headers["idempotency-key"])).toEqual(Array(3).fill(body.runId));
  });

  test("is what makes it so: without it a reset is the end", async () => {
    await using served = await serveOneEndpoint({ request: { method: "POST" } });
    served.vendor.on("POST /it", { reset: true }, { json: { id: 1 } });

    const { body } = await served.run();

    expect(body.status).toBe("FAILED");
    expect(served.vendor.calls).toHaveLength(1);
  });
});

describe("a secret that is not set", () => {
  test("is a 503 with its name before anything is held, and none once it is stored", async () => {
    await using served = await serveOneEndpoint({
      file: { secrets: { key: { env: "VENDOR_KEY" } } },
      http: { auth: { type: "apiKey", in: "header", name: "X-Key", value: "${secret.key}" } },
      endpoint: billed,
    });
    const moved = async () => (await served.daemon.request("GET", "/v1/wallet/activities")).body.items.length;
    const before = await moved();

    const refused = await served.run();
    const after = await moved();
    await served.daemon.request("PUT", "/v1/admin/secrets/VENDOR_KEY", { value: "stored-key-4711" });
    const call = await served.send();

    expect(refused.status).toBe(503);
    expect(refused.body.message).toContain('provider "vendor" is not configured: set VENDOR_KEY');
    expect(after).toBe(before);
    expect(served.vendor.calls).toHaveLength(1);
    expect(call.headers["x-key"]).toBe("stored-key-4711");
  });
});

describe("what a provider's file says for all its endpoints", () => {
  test("holds leaf by leaf where the endpoint says nothing, pace and its headers too", async () => {
    const rateLimit = { requests: 100, perMs: 1_000, headers: { remaining: "x-left", reset: "x-reset" } };
    await using served = await serveOneEndpoint({
      http: { headers: { "X-Both": "provider", "X-Own": "provider" }, query: { arrays: "brackets" }, rateLimit },
      endpoint: {
        input: { queryParams: { properties: { tag: {} } } },
        http: { headers: { "x-own": "endpoint" }, rateLimit: { headers: { reset: "x-own-reset" } } },
      },
    });
    served.vendor.on("GET /it", { json: {}, headers: { "x-left": "0", "x-reset": "600", "x-own-reset": "0.01" } });

    const call = await served.send({ tag: ["a", "b"] });
    const second = await served.run({ tag: [] });

    expect(call.headers).toMatchObject({ "x-both": "provider", "x-own": "endpoint" });
    expect(call.url).toBe("/it?tag%5B%5D=a&tag%5B%5D=b");
    expect(second.body.status).toBe("COMPLETED");
  });
});
