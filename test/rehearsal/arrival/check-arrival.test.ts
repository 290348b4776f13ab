import { describe, expect, test } from "vitest";
import { checkArrival } from "../../../daemon/rehearsal/arrival/check-arrival.ts";
import type { ArrivalFacts } from "../../../daemon/rehearsal/arrival/expected-parts.ts";
import type { Arrival } from "../../../daemon/rehearsal/arrival/stand-in.ts";
import { entryOf } from "../../support/provider-entry.ts";

const entry = entryOf(`
mkt: 1
provider: shop
secrets: {key: {env: SHOP_KEY}}
http:
  baseUrl: https://api.shop.example/v2
  headers: {X-Client: mkt}
  auth: {type: apiKey, in: query, name: appid, value: "\${secret.key}"}
endpoints:
  /items/{id}:
    request: {method: POST, path: "/items/{id}", body: {source: mkt}, queryParams: {format: json}, idempotency: {header: Idempotency-Key}}
    input:
      pathParams: {properties: {id: {type: string}}}
      queryParams: {properties: {tags: {type: array, items: {type: string}}}}
      body: {properties: {limit: {type: integer}}}
    price: {type: FREE}
`);

const callerInput = { pathParams: { id: "a/b" }, queryParams: { tags: ["x", "y"] }, body: { limit: 3 } };
const facts: ArrivalFacts = {
  entry,
  call: entry.request,
  home: "https://api.shop.example",
  scope: { secrets: { key: "canary-of-key" }, input: callerInput, runId: "run-1" },
  callerInput,
};

function arrival(changes: Partial<Arrival> = {}): Arrival {
  return {
    origin: "https://api.shop.example",
    method: "POST",
    url: new URL("http://stand-in/v2/items/a%2Fb?format=json&tags=x&tags=y&appid=canary-of-key"),
    headers: { "x-client": "mkt", "idempotency-key": "run-1", "content-type": "application/json" },
    body: Buffer.from('{"source":"mkt","limit":3}'),
    ...changes,
  };
}

test("a request as the manifest says it has nothing wrong with it", async () => {
  await expect(checkArrival(arrival(), facts)).resolves.toEqual([]);
});

describe("a request that is not as the manifest says it", () => {
  const query = (search: string) => ({ url: new URL(`http://stand-in/v2/items/a%2Fb?${search}`) });
  const cases: readonly [title: string, changes: Partial<Arrival>, complaint: string][] = [
    ["with another method", { method: "PUT" }, "the method is PUT; the manifest says POST"],
    [
      "at another path",
      { url: new URL("http://stand-in/items/a%2Fb?format=json&tags=x&tags=y&appid=canary-of-key") },
      "the path is /items/a%2Fb; the manifest says /v2/items/{id}",
    ],
    [
      "with another value in its path",
      { url: new URL("http://stand-in/v2/items/c?format=json&tags=x&tags=y&appid=canary-of-key") },
      '{id} in the path came as "c"',
    ],
    ["without a caller's field", query("format=json&appid=canary-of-key"), "tags of the query is missing"],
    [
      "with half of a caller's list",
      query("format=json&tags=x&appid=canary-of-key"),
      "tags of the query came with another value",
    ],
    ["without a fixed field", query("tags=x,y&appid=canary-of-key"), "format of the query is missing"],
    ["without its credentials", query("format=json&tags=x,y"), "appid of the query is missing"],
    [
      "with a field that nobody gave",
      query("format=json&tags=x,y&appid=canary-of-key&debug=1"),
      "debug of the query came, and is neither the caller's nor a fixed part",
    ],
    [
      "without a header",
      { headers: { "idempotency-key": "run-1", "content-type": "application/json" } },
      "the header X-Client is missing",
    ],
    [
      "with the idempotency key of another run",
      { headers: { "x-client": "mkt", "idempotency-key": "run-2" } },
      "the header Idempotency-Key came with another value",
    ],
    ["with a body that is no JSON", { body: Buffer.from("limit=3") }, "the body is no JSON object"],
    [
      "with another value in its body",
      { body: Buffer.from('{"source":"mkt","limit":"3"}') },
      "limit of the body came with another value",
    ],
    [
      "with a field of the body that nobody gave",
      { body: Buffer.from('{"source":"mkt","limit":3,"all":true}') },
      "all of the body came, and is neither the caller's nor a fixed part",
    ],
  ];

  test.each(cases)("%s", async (_title, changes, complaint) => {
    await expect(checkArrival(arrival(changes), facts)).resolves.toEqual([complaint]);
  });

  test("at another origin, with a secret", async () => {
    const wrong = await checkArrival(arrival({ origin: "https://elsewhere.example" }), facts);

    expect(wrong).toContain("the secret key went to another origin than that of the base URL");
  });
});
