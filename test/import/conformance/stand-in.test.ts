import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "undici";
import { type OpenApiUpstream, startOpenApiUpstream } from "../../support/openapi-upstream/start-openapi-upstream.ts";
import { readDocument } from "./conform.ts";

/** A judge that finds everything valid would prove nothing: each of these requests has one mistake. */

const documents = [
  "path-styles-3.0",
  "query-styles-3.1",
  "collection-formats-2.0",
  "headers-3.0",
  "security-3.0",
  "bodies-3.1",
];
const upstreams = new Map<string, OpenApiUpstream>();

beforeAll(async () => {
  for (const name of documents) {
    const file = fileURLToPath(new URL(`documents/${name}.yaml`, import.meta.url));
    upstreams.set(name, await startOpenApiUpstream(readDocument(file), { credentials: ["ada", "secret"] }));
  }
});

afterAll(async () => {
  for (const upstream of upstreams.values()) await upstream[Symbol.asyncDispose]();
});

interface Sent {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function complaintsOf(document: string, path: string, { method = "GET", headers, body }: Sent = {}) {
  const upstream = upstreams.get(document);
  if (upstream === undefined) throw new Error(`${document} is not served`);
  const before = upstream.complaints.length;
  const answer = await request(`${upstream.origin}${path}`, {
    method,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
  });
  await answer.body.dump();
  return { status: answer.statusCode, complaints: upstream.complaints.slice(before) };
}

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
const id = { "x-request-id": "2b1c5c3e-6a1f-4d0a-9a1e-3f6d1b7c8a90" };
const part = (head: string, text: string) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
const parts = (...all: readonly string[]) => `${all.join("")}--x--\r\n`;
const multipart = { "content-type": "multipart/form-data; boundary=x" };

test.each<[string, string, string, Sent]>([
  ["a path", "path-styles-3.0", "/api/users/me", {}],
  ["a path of one kind of every style", "path-styles-3.0", "/api/simple/a%2Fb/x,y/R=1,note=z/R,1,note,z", {}],
  ["a query", "query-styles-3.1", "/v2/form?word=a&listed=b&listed=c&joined=d,e&R=1", {}],
  ["a form", "collection-formats-2.0", "/v1/form", { method: "POST", headers: form, body: "title=a&tags=b%2Cc" }],
  ["a header", "headers-3.0", "/headers", { headers: { ...id, "x-pairs": "R=1,note=a" } }],
  ["a credential", "security-3.0", "/v1/basic", { headers: basic("ada:secret") }],
  ["a body", "bodies-3.1", "/object", { method: "POST", headers: json, body: '{"name":"a"}' }],
])("%s that is as the document says is valid", async (_, document, path, sent) => {
  const { status, complaints } = await complaintsOf(document, path, sent);

  expect(complaints).toEqual([]);
  expect(status).toBeLessThan(300);
});

test.each<[string, string, string, Sent, RegExp]>([
  ["another path", "path-styles-3.0", "/api/user", {}, /no such method and path/],
  ["another method", "path-styles-3.0", "/api/users/me", { method: "DELETE" }, /no such method and path/],
  ["another base path", "path-styles-3.0", "/users/me", {}, /no such method and path/],
  ["a missing slash at the end", "path-styles-3.0", "/api/users/7", {}, /no such method and path/],
  ["a label without its dot", "path-styles-3.0", "/api/label/a/.1", {}, /no dot before it/],
  ["a matrix with another name", "path-styles-3.0", "/api/matrix/;w=a/;list=b/;members=R,1,note,z", {}, /style matrix/],
  ["an exploded object that is not", "path-styles-3.0", "/api/simple/a/b/R,1/R,1,note,z", {}, /exploded object/],
  ["a word for a number", "path-styles-3.0", "/api/label/.a/.b", {}, /must be integer/],
  [
    "an undeclared parameter",
    "query-styles-3.1",
    "/v2/deep?filter[R]=1&top=1",
    {},
    /"top", which the document does not/,
  ],
  ["a parameter that is missing", "query-styles-3.1", "/v2/deep", {}, /filter: it is required/],
  [
    "a list that should be joined",
    "query-styles-3.1",
    "/v2/form?word=a&joined=b&joined=c",
    {},
    /joined was sent 2 times/,
  ],
  ["another separator", "query-styles-3.1", "/v2/delimited?numbers=5,6", {}, /numbers.*must be integer/],
  [
    "a number out of bounds",
    "query-styles-3.1",
    "/v2/scalars?flag=true&amount=0&fixed=always",
    {},
    /amount.*must be > 0/,
  ],
  ["another constant", "query-styles-3.1", "/v2/scalars?flag=true&amount=0.1&fixed=x", {}, /equal to constant/],
  ["JSON that is none", "query-styles-3.1", "/v2/json?filter=R", {}, /is not JSON/],
  ["commas for blanks", "collection-formats-2.0", "/v1/lists/a", {}, /ids.*must be integer/],
  [
    "an excluded bound of 2.0",
    "collection-formats-2.0",
    "/v1/form",
    { method: "POST", headers: form, body: "title=a&stars=0" },
    /must be > 0/,
  ],
  ["a header that is missing", "headers-3.0", "/headers", {}, /X-Request-Id: it is required/],
  [
    "an undeclared header",
    "headers-3.0",
    "/headers",
    { headers: { ...id, "x-other": "a" } },
    /x-other is not declared/,
  ],
  [
    "an answer that is not accepted",
    "headers-3.0",
    "/typed",
    { headers: { accept: "text/html" } },
    /it accepts text\/html/,
  ],
  ["a key that is missing", "security-3.0", "/v1/by-default", {}, /inHeader needs X-Api-Key/],
  ["a key of somebody else", "security-3.0", "/v1/by-default", { headers: { "x-api-key": "other" } }, /another value/],
  [
    "a key in another place",
    "security-3.0",
    "/v1/query",
    { headers: { "x-api-key": "secret" } },
    /needs api key in the query/,
  ],
  ["one of two keys", "security-3.0", "/v1/both", { headers: { "x-api-key": "secret" } }, /needs api key in the query/],
  ["another scheme", "security-3.0", "/v1/bearer", { headers: basic("ada:secret") }, /needs Authorization: bearer/],
  ["a key that nobody asks for", "security-3.0", "/v1/open?key=secret", {}, /credential stands in the query/],
  ["a body that is missing", "bodies-3.1", "/object", { method: "POST" }, /the body is required/],
  [
    "a body of another type",
    "bodies-3.1",
    "/object",
    { method: "POST", headers: form, body: "name=a" },
    /the document takes application\/json/,
  ],
  [
    "a body of another shape",
    "bodies-3.1",
    "/object",
    { method: "POST", headers: json, body: '{"name":""}' },
    /fewer than 1 characters/,
  ],
  [
    "a field of answers alone",
    "bodies-3.1",
    "/object",
    { method: "POST", headers: json, body: '{"name":"a","id":1}' },
    /readOnly/,
  ],
  [
    "an undeclared field",
    "bodies-3.1",
    "/object",
    { method: "POST", headers: json, body: '{"name":"a","x":1}' },
    /additional properties/,
  ],
  [
    "a file without a name",
    "bodies-3.1",
    "/multipart",
    { method: "POST", headers: multipart, body: parts(part('name="file"', "a")) },
    /no file name|of no type/,
  ],
  [
    "an object as text",
    "bodies-3.1",
    "/multipart",
    { method: "POST", headers: multipart, body: parts(part('name="meta"', "{}")) },
    /sent as text/,
  ],
  [
    "a body without an end",
    "bodies-3.1",
    "/multipart",
    { method: "POST", headers: multipart, body: part('name="title"', "a") },
    /its boundary/,
  ],
])("%s is complained of", async (_, document, path, sent, complaint) => {
  const { status, complaints } = await complaintsOf(document, path, sent);

  expect(complaints.join("\n")).toMatch(complaint);
  expect(status).toBe(400);
});
