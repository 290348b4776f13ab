import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { CatalogEntry, CatalogProvider } from "../../daemon/catalog/entries/catalog-entry.ts";
import { type FakeAnswer, type FakeCall, startFakeProvider } from "../support/fake-provider.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };
const secret = 'cana"ry+se/cret&42 ü';

/** Everything that would go on to answers, records and logs, stack traces and causes included. */
function everythingOf(value: unknown): string {
  return (
    JSON.stringify(value) +
    inspect(value, { depth: 20, showHidden: true }) +
    (value instanceof Error ? value.stack : "")
  );
}

function expectNoSecret(value: unknown): void {
  const text = everythingOf(value);
  for (const form of [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    "cana",
    "se/cret",
    "se%2Fcret",
  ]) {
    expect(text).not.toContain(form);
  }
  expect(text).not.toContain(Buffer.from(secret).toString("base64").slice(4, -4));
  expect(text).not.toContain(Buffer.from(`me:${secret}`).toString("base64").slice(8, -4));
}

function card(baseUrl: string, auth: string, more = ""): CatalogEntry {
  return entryOf(`
mkt: 1
provider: vendor
secrets: {key: {env: VENDOR_KEY}}
http: {baseUrl: "${baseUrl}", allowPrivateNetwork: true, retry: {attempts: 1}, auth: ${auth}}
endpoints:
  /x:
    request: {method: POST, path: /x}
    price: {type: PER_CALL, amount: 0}
    ${more}
`);
}

const inQuery = '{type: apiKey, in: query, name: key, value: "${secret.key}"}';
const asBasic = '{type: basic, username: me, password: "${secret.key}"}';

async function outcomeOf(answer: (call: FakeCall) => FakeAnswer, auth: string, more = ""): Promise<unknown> {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host], { secrets: { key: secret } });
  vendor.on("POST /x", answer);
  const outcome = await provider
    .start({ runId, entry: card(vendor.url, auth, more), input: {} }, anyTime)
    .catch((error: unknown) => error);
  expect(vendor.count("POST /x")).toBe(1);
  return outcome;
}

describe("a provider that echoes its secret", () => {
  test.each<[string, string, (call: FakeCall) => FakeAnswer]>([
    ["in its output", inQuery, () => ({ json: { key: secret, list: [{ deep: `x${secret}y` }] } })],
    ["as the name of a member", inQuery, () => ({ json: { [secret]: 1 } })],
    ["as the query that it was sent", inQuery, ({ url }) => ({ json: { url } })],
    ["as the authorization that it was sent", asBasic, ({ headers }) => ({ json: headers })],
    ["in an error", inQuery, () => ({ status: 401, json: { error: { message: `bad key ${secret}` } } })],
    ["in an error as plain text", inQuery, () => ({ status: 500, text: `failed with key=${secret}` })],
    ["in a redirect", inQuery, ({ url }) => ({ status: 302, headers: { location: encodeURI(url) }, json: { url } })],
    ["in JSON inside JSON", inQuery, () => ({ json: { text: JSON.stringify({ secret }) } })],
    ["form-encoded", inQuery, () => ({ json: new URLSearchParams({ secret }).toString() })],
    [
      "in base64 somewhere inside",
      inQuery,
      () => ({ json: ["", "a", "ab"].map((before) => Buffer.from(`${before}${secret}z`).toString("base64")) }),
    ],
    ["in hexadecimal", inQuery, () => ({ json: Buffer.from(secret).toString("hex") })],
    [
      "in broken JSON",
      inQuery,
      () => ({ text: `{"key": "${secret}`, headers: { "content-type": "application/json" } }),
    ],
    [
      "over a chunk's border",
      inQuery,
      () => ({ text: "x".repeat(65_530) + secret, headers: { "content-type": "text/plain" } }),
    ],
  ])("%s does not get it out", async (_, auth, answer) => {
    const outcome = await outcomeOf(answer, auth);

    expectNoSecret(outcome);
  });

  test("in its output still gives the rest of the output", async () => {
    const outcome = await outcomeOf(() => ({ json: { said: `hello ${secret}!`, n: 1 } }), inQuery);

    expect(outcome).toMatchObject({ output: { said: "hello [redacted]!", n: 1 } });
  });

  test("as the id of a job has no usable job id", async () => {
    const more = "async: {start: {id: $.id}, poll: {method: GET, path: /p, status: $.s, states: {done: [d]}}}";

    const outcome = await outcomeOf(() => ({ json: { id: secret } }), inQuery, more);

    expect(outcome).toMatchObject({ name: "NoAnswerError", source: "provider" });
    expectNoSecret(outcome);
  });

  test("in what a job keeps does not get it into the record", async () => {
    const more =
      'async: {start: {id: $.id, keep: {link: $.link}}, poll: {method: GET, path: /p, status: $.s, states: {done: [d]}}}\n    usage: {cost: {from: "start:$.usd"}}';

    const outcome = await outcomeOf(() => ({ json: { id: "j", link: `/r?k=${secret}`, usd: secret } }), inQuery, more);

    expect(outcome).toMatchObject({ kind: "job", state: { link: "/r?k=[redacted]" } });
    expectNoSecret(outcome);
  });
});

describe("a call that fails", () => {
  test.each<[string, (host: string) => string]>([
    ["because the name does not exist", () => "http://nobody.invalid"],
    ["because TLS fails", (host) => `https://${host}`],
    ["because the connection is reset", (host) => `http://${host}`],
  ])("%s tells nothing of its query or credentials", async (_, baseUrl) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host, "nobody.invalid"], { secrets: { key: secret } });
    vendor.on("POST /x", { reset: true });

    const failures = await Promise.all(
      [inQuery, asBasic].map(async (auth) => {
        const entry = card(baseUrl(vendor.host), auth);
        return await provider.start({ runId, entry, input: {} }, anyTime).catch((error: unknown) => error);
      }),
    );

    for (const failure of failures) {
      expect(failure).toMatchObject({ name: "NoAnswerError" });
      expectNoSecret(failure);
      expect(everythingOf(failure)).not.toContain("key=");
    }
  });
});

describe("an access token", () => {
  test("that the provider echoes is taken out like a secret", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { key: secret } });
    vendor.on("POST /token", { json: { access_token: "acquired-token-123" } });
    vendor.on("POST /x", ({ headers }) => ({ json: headers }));
    const auth = `{type: clientCredentials, tokenUrl: "${vendor.url}/token", clientId: me, clientSecret: "\${secret.key}"}`;

    const answer = await provider.start({ runId, entry: card(vendor.url, auth), input: {} }, anyTime);

    expect(everythingOf(answer)).not.toContain("acquired-token-123");
  });
});

describe("the secrets of a provider", () => {
  test("are asked for by its own name and no other", async () => {
    await using vendor = await startFakeProvider();
    const asked: string[] = [];
    const secretsOf = (version: CatalogProvider) => {
      asked.push(version.provider);
      return { key: secret };
    };
    await using provider = openHttpProvider([vendor.host], { secretsOf } as object);
    vendor.on("POST /x", { json: {} });

    await provider.start({ runId, entry: card(vendor.url, inQuery), input: {} }, anyTime);

    expect(asked).toEqual(["vendor"]);
  });

  test("that are gone leave the provider uncalled, by the secret's name", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);

    const failure = await provider
      .start({ runId, entry: card(vendor.url, inQuery), input: {} }, anyTime)
      .catch((error: unknown) => error);

    expect(failure).toMatchObject({ name: "NoAnswerError", source: "mkt", maybeExecuted: false });
    expect(String(failure)).toContain("${secret.key}");
    expect(vendor.accepted()).toBe(0);
  });
});
