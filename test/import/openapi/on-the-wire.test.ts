import { expect, test } from "vitest";
import { type FakeCall, startFakeProvider } from "../../support/fake-provider.ts";
import { startTestDaemon } from "../../support/start-daemon.ts";
import { type Json, manifestOf, openApi } from "./import-document.ts";

const list = { type: "array", items: { type: "integer" } };
const object = { type: "object", properties: { R: { type: "integer" }, G: { type: "integer" } } };
const body = (type: string, schema: object, encoding?: object) => ({
  requestBody: { required: true, content: { [type]: { schema, ...(encoding && { encoding }) } } },
});

/** One operation of a document, what a caller sends, and what the provider must get. */
type Row = readonly [
  title: string,
  place: { readonly method?: string; readonly path?: string },
  operation: Json,
  input: Json,
  expected: (call: FakeCall) => unknown,
  wanted: unknown,
];

const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });

const rows: readonly Row[] = [
  [
    "lists and objects of a query in the style of each",
    {},
    {
      parameters: [
        query("many", list),
        query("comma", list, { explode: false }),
        query("pipes", list, { style: "pipeDelimited", explode: false }),
        query("deep", object, { style: "deepObject" }),
        query("flat", object),
      ],
    },
    { many: [1, 2], comma: [1, 2], pipes: [1, 2], deep: { R: 1 }, flat: { R: 100, G: 200 } },
    ({ url }) => decodeURIComponent(url),
    "/base/it?many=1&many=2&comma=1,2&pipes=1|2&deep[R]=1&R=100&G=200",
  ],
  [
    "lists and objects of a path",
    { path: "/it/{list}/{pairs}/{label}" },
    {
      parameters: [
        { name: "list", in: "path", required: true, schema: list },
        { name: "pairs", in: "path", required: true, explode: true, schema: object },
        { name: "label", in: "path", required: true, style: "label", schema: { type: "string" } },
      ],
    },
    { list: [1, 2], pairs: { R: 1, G: 2 }, label: "a b" },
    ({ url }) => decodeURIComponent(url),
    "/base/it/1,2/R=1,G=2/.a b",
  ],
  [
    "a header, sent when it is given",
    {},
    {
      parameters: [
        { name: "X-Tenant.Id", in: "header", schema: { type: "string" } },
        { name: "X-Other", in: "header", schema: { type: "string" } },
      ],
    },
    { "X-Tenant.Id": "here" },
    ({ headers, url }) => [headers["x-other"], headers["x-tenant.id"], url],
    [undefined, "here", "/base/it"],
  ],
  [
    "a fixed query with a placeholder in it",
    { path: "/it?kind=all&id={id}" },
    {},
    { id: "7" },
    ({ url }) => url,
    "/base/it?kind=all&id=7",
  ],
  ["a trailing slash", { path: "/it/" }, {}, {}, ({ url }) => url, "/base/it/"],
  [
    "a body that is a list",
    { method: "post" },
    body("application/json", { type: "array", items: { type: "string" } }),
    { items: ["a", "b"] },
    ({ json, headers }) => [json, headers["content-type"]],
    [["a", "b"], "application/json"],
  ],
  [
    "JSON of a vendor",
    { method: "patch" },
    body("application/merge-patch+json", object),
    { R: 1 },
    ({ json, headers }) => [json, headers["content-type"]],
    [{ R: 1 }, "application/merge-patch+json"],
  ],
  [
    "a form with an object in it",
    { method: "post" },
    body(
      "application/x-www-form-urlencoded",
      { type: "object", properties: { name: { type: "string" }, many: list, at: object } },
      { at: { style: "deepObject" } },
    ),
    { name: "Rex & Co", many: [1, 2], at: { R: 1 } },
    ({ text }) => [...new URLSearchParams(text)],
    [
      ["name", "Rex & Co"],
      ["many", "1"],
      ["many", "2"],
      ["at[R]", "1"],
    ],
  ],
  [
    "XML as text",
    { method: "post" },
    body("application/xml", { type: "object" }),
    { content: "<a/>" },
    ({ text, headers }) => [text, headers["content-type"]],
    ["<a/>", "application/xml"],
  ],
  [
    "bytes",
    { method: "put" },
    body("application/octet-stream", { type: "string", format: "binary" }),
    { content: "AP8=" },
    ({ bytes }) => [...bytes],
    [0, 255],
  ],
  [
    "a file in a multipart form",
    { method: "post" },
    body("multipart/form-data", {
      type: "object",
      properties: { file: { type: "string", format: "binary" }, note: { type: "string" } },
    }),
    { file: Buffer.from("bark").toString("base64"), note: "dog" },
    ({ text, headers }) => [text.includes("bark"), text.includes("dog"), String(headers["content-type"]).split(";")[0]],
    [true, true, "multipart/form-data"],
  ],
  [
    "a body with DELETE",
    { method: "delete" },
    body("application/json", { type: "object", properties: { ids: list } }),
    { body: { ids: [1] } },
    ({ json }) => json as unknown,
    { ids: [1] },
  ],
];

test.each(rows)(
  "an imported operation sends what its document says: %s",
  async (_, place, operation, input, read, wanted) => {
    await using provider = await startFakeProvider();
    const { method = "get", path = "/it" } = place;
    provider.on(`${method.toUpperCase()} /*`, { json: [1, 2] });
    const document = openApi({ [path]: { [method]: { ...operation, responses: {} } } });
    const manifest = manifestOf(document, { choices: { slug: "vendor", baseUrl: `${provider.url}/base` } });
    await using daemon = await startTestDaemon({ manifests: { vendor: manifest }, allowPrivateHosts: [provider.host] });

    const [endpoint] = Object.keys(manifest.endpoints);
    const answer = await daemon.request("POST", "/v1/run", { provider: "vendor", endpoint, input });

    expect(answer.body).toMatchObject({ status: "COMPLETED" });
    const call = provider.calls[0];
    expect(call && read(call)).toEqual(wanted);
  },
);
