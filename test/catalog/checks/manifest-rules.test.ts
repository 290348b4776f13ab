import { describe, expect, test } from "vitest";
import { catalogFolder, endpoint, manifest } from "../catalog-folder.ts";

const ITEMS = "endpoints./items/{id}";

interface Case {
  readonly title: string;
  readonly file: Record<string, unknown>;
  readonly path: string;
  readonly rule: string;
  readonly message: RegExp;
}

function withEndpoint(changes: Record<string, unknown>): Record<string, unknown> {
  return manifest({ endpoints: { "/items/{id}": endpoint(changes) } });
}

function withHttp(changes: Record<string, unknown>): Record<string, unknown> {
  return manifest({ http: { baseUrl: "https://api.shop.example", ...changes } });
}

const job = {
  start: { id: "$.id", keep: { set: "$.set" } },
  poll: { method: "GET", path: "/jobs/${run.externalId}", status: "$.status", states: { done: ["DONE"] } },
};
const counted = { usage: { count: "$.items" }, price: { type: "PER_RESULT", amount: 0.01 } };

const key = { secrets: { key: { env: "SHOP_KEY" } } };
const bearer = { baseUrl: "https://api.shop.example", auth: { type: "bearer", token: "${secret.key}" } };

function withVerify(verify: object, more: Record<string, unknown> = { ...key, http: bearer }): Record<string, unknown> {
  return manifest({ ...more, verify });
}

const cases: Case[] = [
  {
    title: "the call that proves secrets only reads",
    file: withVerify({ method: "POST", path: "/me" }),
    path: "verify.method",
    rule: "verify",
    message: /must only read.*method: GET \(got POST\)/,
  },
  {
    title: "the call that proves secrets sends one",
    file: withVerify({ method: "GET", path: "/me" }, { ...key, http: { baseUrl: "https://api.shop.example" } }),
    path: "verify",
    rule: "verify",
    message: /sends no secret/,
  },
  {
    title: "there are secrets to prove",
    file: withVerify({ method: "GET", path: "/me" }, { secrets: {} }),
    path: "verify",
    rule: "verify",
    message: /no secrets to prove/,
  },
  {
    title: "what proves secrets is a call or a reason",
    file: withVerify({ method: "GET", path: "/me", none: "there is none" }),
    path: "verify.none",
    rule: "verify",
    message: /a call and none; keep one/,
  },
  {
    title: "the call that proves secrets is free",
    file: manifest({
      ...key,
      http: bearer,
      verify: { method: "GET", path: "/me" },
      endpoints: {
        "/me": endpoint({ request: { method: "GET", path: "/me" }, input: {}, price: { type: "PER_CALL", amount: 1 } }),
      },
    }),
    path: "verify.path",
    rule: "verify",
    message: /must be free, and the endpoint \/me/,
  },
  {
    title: "no caller's input is in the call that proves secrets",
    file: withVerify({ method: "GET", path: "/me/${input.pathParams.id}" }),
    path: "verify.path",
    rule: "template",
    message: /verified without any caller/,
  },
  {
    title: "something leads to the next page of a list",
    file: withEndpoint({ pages: { items: "$.items", param: "page" } }),
    path: `${ITEMS}.pages`,
    rule: "pages",
    message: /nothing leads to the next page; write one of cursor, counts and next/,
  },
  {
    title: "one thing alone leads to the next page",
    file: withEndpoint({ pages: { items: "$.items", param: "page", cursor: "$.next", counts: "pages" } }),
    path: `${ITEMS}.pages`,
    rule: "pages",
    message: /cursor and counts all lead to the next page/,
  },
  {
    title: "a cursor is sent in a parameter",
    file: withEndpoint({ pages: { items: "$.items", cursor: "$.next" } }),
    path: `${ITEMS}.pages.param`,
    rule: "pages",
    message: /param is missing/,
  },
  {
    title: "an address of a next page has no parameter",
    file: withEndpoint({ pages: { items: "$.items", next: "header:link", param: "page" } }),
    path: `${ITEMS}.pages.param`,
    rule: "pages",
    message: /next is a whole address/,
  },
  {
    title: "a place in a body for the next page has names between its dots",
    file: withEndpoint({
      request: { method: "POST" },
      pages: { items: "$.items", cursor: "$.next", param: "page..cursor", in: "body" },
    }),
    path: `${ITEMS}.pages.param`,
    rule: "pages",
    message: /a name before and after each dot/,
  },
  {
    title: "an address of a next page is asked for with GET",
    file: withEndpoint({ request: { method: "POST" }, pages: { items: "$.items", next: "$.next" } }),
    path: `${ITEMS}.pages.next`,
    rule: "pages",
    message: /with GET, as request does not/,
  },
  {
    title: "the list of a page is in its body",
    file: withEndpoint({ pages: { items: "header:x", cursor: "$.next", param: "a" } }),
    path: `${ITEMS}.pages.items`,
    rule: "pages",
    message: /a place in the body/,
  },
  {
    title: "a GET has no body for a cursor",
    file: withEndpoint({
      request: { method: "GET" },
      pages: { items: "$.items", cursor: "$.next", param: "a", in: "body" },
    }),
    path: `${ITEMS}.pages.in`,
    rule: "pages",
    message: /carries no body/,
  },
  {
    title: "pages of a job are those of its result",
    file: withEndpoint({ async: job, pages: { items: "$.items", cursor: "$.next", param: "a" } }),
    path: `${ITEMS}.pages`,
    rule: "pages",
    message: /under async.result.pages/,
  },
  {
    title: "one idempotency key is not for several pages",
    file: withEndpoint({
      request: { method: "POST", idempotency: { header: "Idempotency-Key" } },
      pages: { items: "$.items", cursor: "$.next", param: "a" },
    }),
    path: `${ITEMS}.pages`,
    rule: "pages",
    message: /answer the first page each time/,
  },
  {
    title: "bytes have no pages",
    file: withEndpoint({ output: { media: "base64" }, pages: { items: "$.items", cursor: "$.next", param: "a" } }),
    path: `${ITEMS}.pages`,
    rule: "pages",
    message: /has no list in it/,
  },
  {
    title: "a price does not count on one page what is on all of them",
    file: withEndpoint({
      pages: { items: "$.items", cursor: "$.next", param: "a" },
      price: {
        type: "TIERED",
        default: { type: "PER_CALL", amount: 0.01 },
        tiers: [
          {
            label: "photos",
            price: { type: "PER_RESULT", amount: 0.01 },
            selector: { label: "Photos", key: "photos", in: "output" },
          },
        ],
      },
    }),
    path: `${ITEMS}.pages`,
    rule: "pages",
    message: /read once for all pages/,
  },
  {
    title: "an endpoint that changes something gives no earlier answers",
    file: withEndpoint({ request: { method: "POST" }, reuse: { maxAgeSeconds: 60 } }),
    path: `${ITEMS}.reuse`,
    rule: "reuse",
    message: /say idempotent: true if this one does, or remove reuse/,
  },
  {
    title: "an endpoint that makes a resource gives no earlier answers",
    file: manifest({
      resources: { box: { displayName: "Box" } },
      endpoints: {
        "/items/{id}": endpoint({
          idempotent: true,
          reuse: { maxAgeSeconds: 60 },
          resources: { provisions: { resource: "box", id: "$.id", identifier: "$.id" } },
        }),
      },
    }),
    path: `${ITEMS}.reuse`,
    rule: "reuse",
    message: /each run must call the provider/,
  },
  {
    title: "the slug is the name of the file",
    file: manifest({ provider: "store" }),
    path: "provider",
    rule: "slug",
    message: /write provider: shop, or rename the file to store\.json/,
  },
  {
    title: "the United Kingdom is GB",
    file: manifest({ covers: { regions: ["NO", "UK"] } }),
    path: "covers.regions[1]",
    rule: "covers",
    message: /there is no country UK: write GB for the United Kingdom/,
  },
  {
    title: "a country that is covered has a code of ISO 3166",
    file: withEndpoint({ covers: { regions: ["QX"] } }),
    path: `${ITEMS}.covers.regions[0]`,
    rule: "covers",
    message: /there is no country QX: use its ISO 3166 code/,
  },
  {
    title: "a language that is covered has a code of ISO 639",
    file: withEndpoint({ covers: { languages: ["qqq"] } }),
    path: `${ITEMS}.covers.languages[0]`,
    rule: "covers",
    message: /there is no language qqq/,
  },
  {
    title: "a period that is covered ends after it begins",
    file: withEndpoint({ covers: { period: { from: "2020-05", to: 2019 } } }),
    path: `${ITEMS}.covers.period`,
    rule: "covers",
    message: /it ends \(2019\) before it begins \(2020-05\): exchange from and to/,
  },
  {
    title: "a period that is relative to today ends after it begins",
    file: withEndpoint({ covers: { period: { from: "today", to: "-3 days" } } }),
    path: `${ITEMS}.covers.period`,
    rule: "covers",
    message: /it ends \(-3 days\) before it begins \(today\)/,
  },
  {
    title: "a day that is covered exists",
    file: withEndpoint({ covers: { period: { from: "2021-02-30" } } }),
    path: `${ITEMS}.covers.period.from`,
    rule: "covers",
    message: /there is no day 2021-02-30/,
  },
  {
    title: "an unknown key names the key that was probably meant",
    file: withHttp({ timeoutms: 5 }),
    path: "http.timeoutms",
    rule: "unknown-key",
    message: /"timeoutms" is not a key here; did you mean "timeoutMs"\?/,
  },
  {
    title: "an unknown key inside one of several forms is named with its place",
    file: withEndpoint({ price: { type: "PER_CALL", amount: 0.01, flatfee: 1 } }),
    path: `${ITEMS}.price.flatfee`,
    rule: "unknown-key",
    message: /"flatfee" is not a key here/,
  },
  {
    title: "a key of another form says where it belongs, and what this one takes",
    file: withEndpoint({ price: { type: "PER_CALL", amount: 0.01, flatFee: 1 } }),
    path: `${ITEMS}.price.flatFee`,
    rule: "unknown-key",
    message: /^"flatFee" is not a key here: PER_CALL takes amount and type; flatFee belongs to PER_RESULT$/,
  },
  {
    title: "a key of another way to prove who calls says where it belongs",
    file: withHttp({ auth: { type: "bearer", token: "${secret.key}", name: "k" } }),
    path: "http.auth.name",
    rule: "unknown-key",
    message: /bearer takes token and type; name belongs to apiKey$/,
  },
  {
    title: "a job of which half is written names what is missing",
    file: withEndpoint({ async: { start: { id: "$.id" } } }),
    path: `${ITEMS}.async.poll`,
    rule: "shape",
    message: /^is missing; add a map of keys$/,
  },
  {
    title: "a bound that is excluded is told as such",
    file: withEndpoint({ price: { type: "PER_UNIT", amount: 1, per: 0, unit: "token" } }),
    path: `${ITEMS}.price.per`,
    rule: "shape",
    message: /^must be more than 0 \(got 0\)$/,
  },
  {
    title: "an answer of more than 64 MiB cannot be allowed",
    file: withHttp({ maxResponseBytes: 67_108_865 }),
    path: "http.maxResponseBytes",
    rule: "shape",
    message: /^must be at most 67108864 \(got 67108865\)$/,
  },
  {
    title: "what must hold something says so",
    file: withEndpoint({ usage: { count: "" } }),
    path: `${ITEMS}.usage.count`,
    rule: "shape",
    message: /^must not be empty \(got ""\)$/,
  },
  {
    title: "a place for a text or a number names both",
    file: withEndpoint({ usage: { count: true } }),
    path: `${ITEMS}.usage.count`,
    rule: "shape",
    message: /^must be a text or a number \(got true\)$/,
  },
  {
    title: "a price that is a number shows what a price looks like",
    file: withEndpoint({ price: 0.01 }),
    path: `${ITEMS}.price`,
    rule: "shape",
    message: /such as \{type: PER_CALL, amount: 0\.01\}/,
  },
  {
    title: "an address without its beginning is shown with it",
    file: withEndpoint({ docUrl: "shop.example/docs" }),
    path: `${ITEMS}.docUrl`,
    rule: "shape",
    message: /^must be a whole address, such as https:\/\/shop\.example\/docs \(got/,
  },
  {
    title: "what differs by its case alone is the only thing that may be meant",
    file: withEndpoint({ errors: [{ when: { status: ["5XX"] }, as: {} }] }),
    path: `${ITEMS}.errors[0].when.status[0]`,
    rule: "shape",
    message: /did you mean "5xx"\?$/,
  },
  {
    title: "an answer without a body asks for one in plain words",
    file: withEndpoint({ examples: [{ name: "a", response: { status: 200 } }] }),
    path: `${ITEMS}.examples[0].response.body`,
    rule: "shape",
    message: /^is missing; add a value$/,
  },
  {
    title: "a price type with a typo names those there are and the one that was probably meant",
    file: withEndpoint({ price: { type: "PER_CAL", amount: 0.01 } }),
    path: `${ITEMS}.price.type`,
    rule: "shape",
    message: /^must be one of .*"PER_CALL", "PER_RESULT", .*"TIERED".* \(got "PER_CAL"\); did you mean "PER_CALL"\?$/,
  },
  {
    title: "what callers bear beyond an estimate has a limit",
    file: withEndpoint({
      ...counted,
      usage: { count: "$.items", estimate: { max: 2 } },
      overrun: { caller: "$.total" },
    }),
    path: `${ITEMS}.overrun.caller`,
    rule: "price-maximum",
    message: /overrun\.caller is needed before the call, when \$\.total is not known/,
  },
  {
    title: "what callers bear beyond an estimate is no less than the estimate",
    file: withEndpoint({ ...counted, usage: { count: "$.items", estimate: { max: 20 } }, overrun: { caller: 2 } }),
    path: `${ITEMS}.overrun.caller`,
    rule: "price-maximum",
    message: /the caller's bound \(2\) is below usage\.estimate\.max \(20\)/,
  },
  {
    title: "who bears an overrun is the operator, or the caller up to a bound",
    file: withEndpoint({ ...counted, usage: { count: "$.items", estimate: { max: 2 } }, overrun: "everybody" }),
    path: `${ITEMS}.overrun`,
    rule: "shape",
    message: /operator/,
  },
  {
    title: "a word out of a list with a typo names the one that was probably meant",
    file: withEndpoint({ request: { method: "GTE", path: "/x" } }),
    path: `${ITEMS}.request.method`,
    rule: "shape",
    message: /must be one of "GET", .* \(got "GTE"\); did you mean "GET"\?$/,
  },
  {
    title: "a missing key is named",
    file: withEndpoint({ request: { path: "/x" } }),
    path: `${ITEMS}.request.method`,
    rule: "shape",
    message: /is missing; add one of "GET", "HEAD", "POST"/,
  },
  {
    title: "a value of the wrong type is shown",
    file: withHttp({ timeoutMs: "soon" }),
    path: "http.timeoutMs",
    rule: "shape",
    message: /must be a (whole )?number \(got "soon"\)/,
  },
  {
    title: "a file without endpoints serves nothing",
    file: manifest({ endpoints: {} }),
    path: "endpoints",
    rule: "shape",
    message: /there is no endpoint/,
  },
  {
    title: "the public path begins with a slash",
    file: manifest({ endpoints: { items: endpoint() } }),
    path: "endpoints.items",
    rule: "shape",
    message: /a path that begins with \//,
  },
  {
    title: "No keys in files: a literal that looks like a key is refused",
    file: withHttp({ auth: { type: "bearer", token: "sk_live_4eC39HqLyjWDarjtT1zdp7dc" } }),
    path: "http.auth.token",
    rule: "literal-secret",
    message: /looks like a key; .*declare it under secrets/,
  },
  {
    title: "No keys in files: a long literal where only a key belongs is refused",
    file: withHttp({ headers: { "X-Api-Key": "correct-horse-battery" } }),
    path: "http.headers.X-Api-Key",
    rule: "literal-secret",
    message: /looks like a key/,
  },
  {
    title: "No keys in files: a key hidden in a fixed body is found",
    file: withEndpoint({
      request: { method: "POST", path: "/v1/items/{id}", body: { a: ["9f86d081884c7d659a2feaa0c55ad015"] } },
    }),
    path: `${ITEMS}.request.body.a[0]`,
    rule: "literal-secret",
    message: /looks like a key/,
  },
  {
    title: "No keys in files: credentials in the base URL are refused",
    file: withHttp({ baseUrl: "https://me:pass@api.shop.example" }),
    path: "http.baseUrl",
    rule: "literal-secret",
    message: /never stand in a URL/,
  },
  {
    title: "a secret that is not declared cannot be used",
    file: withHttp({ auth: { type: "bearer", token: "${secret.kay}" } }),
    path: "http.auth.token",
    rule: "template",
    message: /\$\{secret\.kay\} is not declared; add it under secrets; did you mean "key"\?/,
  },
  {
    title: "an unknown reference names those that are known",
    file: withHttp({ headers: { "X-Run": "${run.number}" } }),
    path: "http.headers.X-Run",
    rule: "template",
    message: /unknown reference .*known are/,
  },
  {
    title: "a reference to a field that is not declared is refused",
    file: withHttp({ headers: { "X-Lang": "${input.queryParams.language}" } }),
    path: "http.headers.X-Lang",
    rule: "template",
    message: /add language to input\.queryParams\.properties/,
  },
  {
    title: "credentials never come from a caller's input",
    file: withHttp({ auth: { type: "bearer", token: "${input.queryParams.lang}" } }),
    path: "http.auth.token",
    rule: "template",
    message: /credentials never come from a caller's input/,
  },
  {
    title: "an authorization header never comes from a caller's input",
    file: withHttp({ headers: { Authorization: "Basic ${input.queryParams.lang}" } }),
    path: "http.headers.Authorization",
    rule: "template",
    message: /credentials never come from a caller's input/,
  },
  ...["Host", "Content-Length", "transfer-encoding", "Connection"].map((name) => ({
    title: `a file cannot set the header ${name}`,
    file: withHttp({ headers: { [name]: "x" } }),
    path: `http.headers.${name}`,
    rule: "header",
    message: /set by the HTTP client alone/,
  })),
  {
    title: "the idempotency header cannot be the authorization header",
    file: withEndpoint({
      request: { method: "POST", path: "/v1/items/{id}", idempotency: { header: "Authorization" } },
    }),
    path: `${ITEMS}.request.idempotency.header`,
    rule: "header",
    message: /cannot be sent as Authorization/,
  },
  {
    title: "Origins: a secret does not go to another origin",
    file: withEndpoint({
      request: { method: "POST", url: "https://elsewhere.example/{id}", headers: { "X-K": "${secret.key}" } },
      input: {},
    }),
    path: `${ITEMS}.request.url`,
    rule: "origin",
    message: /secrets only go to the origin of baseUrl/,
  },
  {
    title: "Private addresses: http is for private hosts only",
    file: withHttp({ baseUrl: "http://api.shop.example" }),
    path: "http.baseUrl",
    rule: "origin",
    message: /use https, or allowPrivateNetwork/,
  },
  {
    title: "builtin origins are for the bundled catalog",
    file: withHttp({ baseUrl: "builtin:atlas" }),
    path: "http.baseUrl",
    rule: "origin",
    message: /catalog that comes with mkt/,
  },
  {
    title: "there is a base URL",
    file: manifest({ http: {} }),
    path: `${ITEMS}.request`,
    rule: "origin",
    message: /there is no base URL/,
  },
  {
    title: "a name in the path is declared",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}/{part}" } }),
    path: `${ITEMS}.request.path`,
    rule: "path-params",
    message: /\{part\} is not declared; add part to input\.pathParams\.properties/,
  },
  {
    title: "a declared path parameter stands in the path",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items" } }),
    path: `${ITEMS}.input.pathParams.properties.id`,
    rule: "path-params",
    message: /is not in the path/,
  },
  {
    title: "a path parameter is required or has a default",
    file: withEndpoint({ input: { pathParams: { properties: { id: { type: "string" } } } } }),
    path: `${ITEMS}.input.pathParams.properties.id`,
    rule: "path-params",
    message: /add it to required/,
  },
  {
    title: "a style is for a parameter that is declared",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", styles: { lng: "comma" } } }),
    path: `${ITEMS}.request.styles.lng`,
    rule: "style",
    message: /lng is not declared in pathParams or queryParams .*; did you mean "lang"\?/,
  },
  {
    title: "a JSON body has no styles",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", styles: { kind: "comma" } } }),
    path: `${ITEMS}.request.styles.kind`,
    rule: "style",
    message: /a body that is no form has no styles/,
  },
  {
    title: "a path parameter has the styles of a path",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", styles: { id: "brackets" } } }),
    path: `${ITEMS}.request.styles.id`,
    rule: "style",
    message: /cannot be sent with style brackets where it goes; possible are comma, pairs/,
  },
  {
    title: "a header parameter has the styles of a header",
    file: withEndpoint({
      request: {
        method: "POST",
        path: "/v1/items/{id}",
        headers: { "X-Lang": "${input.queryParams.lang}" },
        styles: { lang: "repeat" },
      },
    }),
    path: `${ITEMS}.request.styles.lang`,
    rule: "style",
    message: /possible are comma, pairs, json/,
  },
  {
    title: "a style with a typo names the one that was probably meant",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", styles: { lang: "pipe" } } }),
    path: `${ITEMS}.request.styles.lang`,
    rule: "shape",
    message: /must be one of "repeat", .*did you mean "pipes"\?/,
  },
  {
    title: "the field that is the body is declared",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", bodyField: "kinds" } }),
    path: `${ITEMS}.request.bodyField`,
    rule: "call",
    message: /kinds is not declared; add it to input\.body\.properties; did you mean "kind"\?/,
  },
  {
    title: "the field that is the body stands alone",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", bodyField: "kind", body: { a: 1 } } }),
    path: `${ITEMS}.request.body`,
    rule: "call",
    message: /bodyField is the whole body; keep one of the two/,
  },
  {
    title: "the field that is the body is no field of a form",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", bodyField: "kind", encoding: "form" } }),
    path: `${ITEMS}.request.bodyField`,
    rule: "call",
    message: /use json, text or bytes/,
  },
  {
    title: "the field that is the body leaves no place for a key in it",
    file: manifest({
      http: {
        baseUrl: "https://api.shop.example",
        auth: { type: "apiKey", in: "body", name: "key", value: "${secret.key}" },
      },
      endpoints: {
        "/items/{id}": endpoint({ request: { method: "POST", path: "/v1/items/{id}", bodyField: "kind" } }),
      },
    }),
    path: `${ITEMS}.request.bodyField`,
    rule: "call",
    message: /send the key elsewhere/,
  },
  {
    title: "a key in the body needs a body",
    file: manifest({
      http: {
        baseUrl: "https://api.shop.example",
        auth: [{ type: "apiKey", in: "body", name: "key", value: "${secret.key}" }],
      },
      endpoints: { "/all": { request: { method: "GET" }, price: { type: "FREE" } } },
    }),
    path: "http.auth[0]",
    rule: "call",
    message: /goes into the body, and GET \/all sends none; write http\.auth for that endpoint/,
  },
  {
    title: "text and bytes name the field that they are",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", encoding: "bytes" } }),
    path: `${ITEMS}.request.encoding`,
    rule: "call",
    message: /name the property of input\.body that holds it with bodyField/,
  },
  {
    title: "a poll sends no caller's field",
    file: withEndpoint({ async: { ...job, poll: { ...job.poll, method: "POST", encoding: "text" } } }),
    path: `${ITEMS}.async.poll.encoding`,
    rule: "call",
    message: /encoding text is for the request of an endpoint/,
  },
  {
    title: "a DELETE carries a body only where its encoding says so",
    file: withEndpoint({ request: { method: "DELETE", path: "/v1/items/{id}" } }),
    path: `${ITEMS}.input.body`,
    rule: "call",
    message: /a DELETE carries no body; .*write request\.encoding: json if this one does/,
  },
  {
    title: "a fixed body of a DELETE needs its encoding",
    file: withEndpoint({
      request: { method: "DELETE", path: "/v1/items/{id}", body: { a: 1 } },
      input: { pathParams: { required: ["id"], properties: { id: { type: "string" } } } },
    }),
    path: `${ITEMS}.request.body`,
    rule: "call",
    message: /a DELETE carries no body; .*write encoding: json if this one does/,
  },
  {
    title: "a header's name is one that headers can have",
    file: withHttp({ rateLimit: { headers: { remaining: "x remaining", reset: "x-reset" } } }),
    path: "http.rateLimit.headers.remaining",
    rule: "shape",
    message: /the name of a header/,
  },
  {
    title: "a pace has both its numbers",
    file: withHttp({ rateLimit: { requests: 5 } }),
    path: "http.rateLimit",
    rule: "pace",
    message: /add perMs/,
  },
  {
    title: "a pace limits something",
    file: withHttp({ rateLimit: { perMs: 1000 } }),
    path: "http.rateLimit",
    rule: "pace",
    message: /this limits nothing/,
  },
  {
    title: "a vendor that tells that nothing remains tells how long, too",
    file: withHttp({ rateLimit: { headers: { remaining: "x-left" } } }),
    path: "http.rateLimit.headers",
    rule: "pace",
    message: /add headers\.reset, or perMs/,
  },
  {
    title: "a GET carries no body",
    file: withEndpoint({ request: { method: "GET", path: "/v1/items/{id}" } }),
    path: `${ITEMS}.input.body`,
    rule: "call",
    message: /a GET carries no body/,
  },
  {
    title: "an extractor that is not singular is refused",
    file: withEndpoint({ output: { select: "$.items[*]" } }),
    path: `${ITEMS}.output.select`,
    rule: "extractor",
    message: /no wildcards/,
  },
  {
    title: "an extractor of a usage is checked",
    file: withEndpoint({ usage: { count: "items" } }),
    path: `${ITEMS}.usage.count`,
    rule: "extractor",
    message: /unknown extractor "items"/,
  },
  {
    title: "an extractor in an error rule is checked",
    file: manifest({ errors: [{ when: { match: { "$..x": 1 } }, as: { status: 404 } }] }),
    path: "errors[0].when.match.$..x",
    rule: "extractor",
    message: /only paths to one value/,
  },
  {
    title: "an error rule has a condition",
    file: manifest({ errors: [{ when: {}, as: { status: 404 } }] }),
    path: "errors[0].when",
    rule: "error-rule",
    message: /would match every answer/,
  },
  {
    title: "there is a price",
    file: withEndpoint({ price: undefined }),
    path: `${ITEMS}.price`,
    rule: "price",
    message: /there is no price; add one/,
  },
  {
    title: "a negative price is refused",
    file: withEndpoint({ price: { type: "PER_CALL", amount: -1 } }),
    path: `${ITEMS}.price.amount`,
    rule: "shape",
    message: /cannot be negative/,
  },
  {
    title: "a fixed markup goes with a price by the call only",
    file: {
      ...withEndpoint({ price: { type: "METERED", amount: 1, per: { unit: "MINUTE", count: 1 } } }),
      markup: { fixed: 1 },
    },
    path: `${ITEMS}.price`,
    rule: "markup",
    message: /markup\.fixed .* not with METERED/,
  },
  {
    title: "Price coverage: a matrix covers the values of its selector",
    file: withEndpoint({
      price: {
        type: "PER_UNIT_MATRIX",
        selectors: [{ label: "Kind", key: "kind", in: "body" }],
        variants: [{ when: { kind: "a" }, price: { type: "PER_CALL", amount: 1 } }],
      },
    }),
    path: `${ITEMS}.price`,
    rule: "price-coverage",
    message: /no variant has a price for kind = "b".*default/,
  },
  {
    title: "Known maximum: what is counted has a maximum",
    file: withEndpoint({ ...counted }),
    path: `${ITEMS}.usage.estimate.max`,
    rule: "price-maximum",
    message: /set usage\.estimate\.max/,
  },
  {
    title: "Known maximum: the maximum is limited by its schema",
    file: withEndpoint({ ...counted, usage: { count: "$.items", estimate: { max: "input:body.free" } } }),
    path: `${ITEMS}.usage.estimate.max`,
    rule: "price-maximum",
    message: /has no upper limit/,
  },
  {
    title: "an estimate is made from the input, not from the answer",
    file: withEndpoint({ ...counted, usage: { count: "$.items", estimate: { count: "$.items", max: 5 } } }),
    path: `${ITEMS}.usage.estimate.count`,
    rule: "extractor",
    message: /an estimate is made before the call/,
  },
  {
    title: "async: {} needs the provider's job protocol",
    file: withEndpoint({ async: {} }),
    path: `${ITEMS}.async`,
    rule: "async",
    message: /the provider has none; add async at the top level/,
  },
  {
    title: "the id of a job is not known when it is started",
    file: withEndpoint({ request: { method: "POST", path: "/v1/items/{id}/${run.externalId}" }, async: job }),
    path: `${ITEMS}.request.path`,
    rule: "template",
    message: /only known once there is a job/,
  },
  {
    title: "a state that is read is kept",
    file: withEndpoint({ async: { ...job, result: { method: "GET", path: "/sets/${state.sets}" } } }),
    path: `${ITEMS}.async.result.path`,
    rule: "template",
    message: /not kept; add it to start\.keep or poll\.keep; did you mean "set"/,
  },
  {
    title: "a state has one meaning",
    file: withEndpoint({
      async: { ...job, poll: { ...job.poll, states: { done: ["DONE"], failed: ["DONE"] } } },
    }),
    path: `${ITEMS}.async.poll.states.failed`,
    rule: "async",
    message: /"DONE" stands under done and under failed/,
  },
  {
    title: "an error of the provider's job protocol is told at the provider",
    file: { ...withEndpoint({ async: {} }), async: { ...job, start: { id: "id" } } },
    path: "async.start.id",
    rule: "extractor",
    message: /unknown extractor "id"/,
  },
  {
    title: "a hint says where it leads",
    file: withEndpoint({ hints: { "look at it": { kind: "inspect" } } }),
    path: `${ITEMS}.hints.look at it`,
    rule: "hint",
    message: /needs endpoint/,
  },
  {
    title: "the kinds of hints are those of the specification",
    file: withEndpoint({ hints: { "buy more": { kind: "topUp" } } }),
    path: `${ITEMS}.hints.buy more.kind`,
    rule: "shape",
    message: /must be one of "command", "discover"/,
  },
  {
    title: "an example's input names parameters of the endpoint",
    file: manifest({
      endpoints: {
        "/items": endpoint({
          request: { method: "GET", path: "/v1/items" },
          input: { queryParams: { properties: { city: { type: "string" } } } },
          examples: [{ name: "typo", input: { citty: "Lisbon" } }],
        }),
      },
    }),
    path: "endpoints./items.examples[0].input",
    rule: "example",
    message: /input\.citty is not a parameter of this endpoint; did you mean "city"/,
  },
  {
    title: "a resource that is used is declared",
    file: withEndpoint({ resources: { uses: [{ resource: "number", id: "input:body.kind" }] } }),
    path: `${ITEMS}.resources.uses[0].resource`,
    rule: "resource",
    message: /"number" is not declared/,
  },
];

describe("a file that breaks a rule names place, rule and mending, and is not used", () => {
  test.each(cases)("$title", async ({ file, path, rule, message }) => {
    using folder = catalogFolder();
    const written = folder.write("shop", file);

    const catalog = await folder.load();

    const problems = catalog.problems();
    expect(problems.map((problem) => [problem.path, problem.rule])).toContainEqual([path, rule]);
    const problem = problems.find((candidate) => candidate.path === path && candidate.rule === rule);
    expect(problem?.message).toMatch(message);
    expect(problem?.file).toBe(written);
    expect(problem?.line).toBeGreaterThan(0);
    expect(catalog.entries()).toEqual([]);
  });
});

test("a setting of mkt itself is no secret of a provider", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest({ secrets: { key: { env: "MKT_API_KEY" } } }));

  const catalog = await folder.load();

  expect(catalog.problems()).toMatchObject([{ path: "secrets.key.env", rule: "secret", takesDown: "file" }]);
});

const schemaCases = [
  {
    title: "a schema that is no schema",
    schema: { properties: { a: { type: "strng" } } },
    message: /not a JSON Schema/,
  },
  { title: "a section that is not an object", schema: { type: "array" }, message: /must have type: object/ },
  { title: "a pattern with lookahead", schema: { properties: { a: { pattern: "(?=x)" } } }, message: /lookaround/ },
  {
    title: "unique items without a small maximum",
    schema: { properties: { a: { type: "array", uniqueItems: true } } },
    message: /uniqueItems needs maxItems/,
  },
  { title: "a reference to a network", schema: { $ref: "https://x.example/s.json" }, message: /into this file/ },
  { title: "a reference to a file", schema: { properties: { a: { $ref: "/etc/passwd" } } }, message: /into this file/ },
  {
    title: "a reference to nothing",
    schema: { properties: { a: { $ref: "#/schemas/No" } } },
    message: /#\/schemas\/No/,
  },
  {
    title: "a required field that is not declared",
    schema: { required: ["b"], properties: { a: {} } },
    message: /"b" is required/,
  },
  { title: "another dialect", schema: { $schema: "http://json-schema.org/draft-07/schema#" }, message: /2020-12/ },
  {
    title: "a schema that is nested too deep",
    schema: Array.from({ length: 40 }).reduce<object>((inner) => ({ not: inner }), {}),
    message: /nested more than 32/,
  },
  {
    title: "references that multiply",
    schema: {
      $defs: Object.fromEntries(
        Array.from({ length: 25 }, (_, n) => [
          `d${n}`,
          n === 0 ? {} : { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] },
        ]),
      ),
      properties: { a: { $ref: "#/$defs/d24" } },
    },
    message: /multiply/,
  },
  {
    title: "a schema of 600 KB",
    schema: { properties: { a: { description: "x".repeat(600_000) } } },
    message: /more than 524288 characters/,
  },
];

describe("an input schema that could not be checked takes down its endpoint alone (docs/security.md, T12)", () => {
  test.each(schemaCases)("$title", async ({ schema, message }) => {
    using folder = catalogFolder();
    const bad = endpoint({ input: { ...(endpoint()["input"] as object), body: schema } });
    folder.write("shop", manifest({ endpoints: { "/items/{id}": endpoint(), "/bad": { ...bad } } }));

    const catalog = await folder.load();

    expect(catalog.entries().map(({ path }) => path)).toEqual(["/items/{id}"]);
    expect(catalog.problems().map(({ rule }) => rule)).toContain("input-schema");
    expect(
      catalog
        .problems()
        .map((problem) => problem.message)
        .join("\n"),
    ).toMatch(message);
  });

  test("a misspelt keyword is told and takes nothing down", async () => {
    using folder = catalogFolder();
    folder.write("shop", withEndpoint({ input: { ...(endpoint()["input"] as object), body: { requried: ["a"] } } }));

    const catalog = await folder.load();

    expect(catalog.entries()).toHaveLength(1);
    expect(catalog.problems().map(({ path }) => path)).toEqual([`${ITEMS}.input.body.requried`]);
    expect(catalog.problems()[0]?.message).toContain('did you mean "required"?');
  });
});

describe("what needs a later version is shown and not run", () => {
  test.each([
    ["a price by the period", { price: { type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } } }],
  ])("%s", async (_title, changes) => {
    using folder = catalogFolder();
    folder.write("shop", withEndpoint(changes));

    const catalog = await folder.load({ trusted: true, environment: { SHOP_KEY: "k" } });

    expect(catalog.problems()).toEqual([]);
    expect(catalog.get("shop", "/items/{id}").notRunnable).toMatch(/this version/);
    expect(catalog.availability("shop", "/items/{id}")).toMatchObject({ available: false, reason: "not supported" });
    expect(catalog.availability("shop")).toEqual({ available: true });
  });
});
