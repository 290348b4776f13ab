import fc from "fast-check";
import { FormData } from "undici";
import { expect, test } from "vitest";
import { type BuiltRequest, buildRequest } from "../../../daemon/providers/request/build-request.ts";
import { checkArrival } from "../../../daemon/rehearsal/arrival/check-arrival.ts";
import type { Arrival } from "../../../daemon/rehearsal/arrival/stand-in.ts";
import { entryOf } from "../../support/provider-entry.ts";

const STYLES = ["repeat", "brackets", "comma", "pipes", "spaces", "tabs", "flat", "json"] as const;
const ENCODINGS = ["json", "form"] as const;

const word = fc
  .stringMatching(/^[a-zA-Z0-9 äß%&=+./-]{1,8}$/)
  .filter((text) => text.trim() === text && !/^\.+$/.test(text));
const scalar = fc.oneof(word, fc.integer(), fc.boolean());
const value = fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 }));

test("a request that the provider's code built is what the manifest says, however it is spelled", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...STYLES),
      fc.constantFrom(...ENCODINGS),
      fc.record({
        id: word,
        list: value,
        object: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}x$/), scalar, { maxKeys: 3, noNullPrototype: true }),
      }),
      async (style, encoding, { id, list, object }) => {
        const entry = entryOf(`
mkt: 1
provider: shop
secrets: {key: {env: SHOP_KEY}}
http:
  baseUrl: https://api.shop.example/v2?app=1
  auth: {type: apiKey, in: query, name: appid, value: "\${secret.key}"}
endpoints:
  /items/{id}:
    request:
      method: POST
      path: "/items/{id}/sub"
      encoding: ${encoding}
      styles: {list: ${style}, object: ${style}}
      queryParams: {fixed: "yes"}
      body: {source: mkt, id: "\${input.pathParams.id}"}
    input:
      pathParams: {properties: {id: {type: string}}}
      queryParams: {properties: {list: {}, object: {}}}
      body: {properties: {list: {}, object: {}}}
    price: {type: FREE}
`);
        const input = { pathParams: { id }, queryParams: { list, object }, body: { list, object } };
        const scope = { secrets: { key: "canary-of-key" }, input, runId: "run-1" };
        const request = buildRequest({
          entry,
          call: entry.request,
          baseUrl: entry.http.baseUrl,
          scope,
          callerInput: input,
        });

        const wrong = await checkArrival(toArrival(request), {
          entry,
          call: entry.request,
          home: "https://api.shop.example",
          scope,
          callerInput: input,
        });

        expect(wrong, request.url.href).toEqual([]);
      },
    ),
  );
});

function toArrival({ method, url, headers, body }: BuiltRequest): Arrival {
  const text = typeof body === "string" ? body : "";
  expect(body).not.toBeInstanceOf(FormData);
  return {
    origin: url.origin,
    method,
    url: new URL(`http://stand-in${url.pathname}${url.search}`),
    headers,
    body: Buffer.from(text),
  };
}
