import { ApiError } from "../../../shared/errors.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Call, RequestCall } from "../../manifest/manifest.ts";
import { LruCache } from "../../base/lru-cache.ts";
import { oncePer } from "../../base/once-per.ts";
import { compiledCall } from "./compiled-call.ts";
import { mergeOver } from "./fixed-parts.ts";
import { buildBody, type BuiltBody, fieldsIn } from "./request-body.ts";
import { type InputSections, readInput } from "../../manifest/input-sections.ts";
import { type Credentials, needsMissingSecret, renderCredentials } from "./request-auth.ts";
import { RequestError } from "../../manifest/request-error.ts";
import { type FieldSpelling, fieldOf, refuseTakenNames, styleOf, toFields, toQueryString } from "./request-fields.ts";
import { compiledHeaders, headerText, renderHeader } from "./request-headers.ts";
import { encodeSegmentValue, joinPath, readBase, renderPath, resolveOrExplain } from "./request-path.ts";
import { type TemplatePart, type TemplateScope, toText } from "../../manifest/template.ts";

/** One HTTP request, ready to be sent. */
export interface BuiltRequest {
  readonly method: Call["method"];
  /** Shared by requests to the same address: not to be changed. */
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Fields of the query exactly as they are sent; they override the file's. A provider's values are never parsed as
 * templates.
 */
export type LiteralQuery = Readonly<Record<string, string>>;

/** The target of a call: an endpoint, or a resource. */
export type CallTarget = Pick<CatalogEntry, "provider" | "input" | "http" | "errors">;

export interface RequestFacts {
  readonly entry: CallTarget;
  readonly call: Call | RequestCall;
  /** The actual base address: that of the file, or that of the built-in provider. */
  readonly baseUrl: string;
  readonly scope: TemplateScope;
  /** The caller's own fields, for the start call; polls, results and stops have fixed parts only. */
  readonly callerInput?: InputSections;
  /** For a further page: its cursor. */
  readonly query?: LiteralQuery;
  /** For a further page: its whole address, out of an answer and so untrusted. It has its own query. */
  readonly address?: string;
  /** From client credentials, or the token of a built-in provider. */
  readonly accessToken?: string;
  readonly builtin?: boolean;
  /** The body, if it was built before: see `checkCallable`. */
  readonly body?: BuiltBody;
}

type MutableHeaders = Record<string, string>;

const NO_CREDENTIALS: Credentials = { headers: {}, query: [], body: {} };

/**
 * Builds the vendor call. Throws ApiError `invalidInput` for a caller's value that cannot be used where the manifest
 * puts it, RequestError for anything else. Credentials are added only at the origin of `baseUrl`
 * (docs/manifest.md, "Origins").
 */
export function buildRequest(facts: RequestFacts): BuiltRequest {
  return build(facts).request;
}

function build(facts: RequestFacts): { readonly request: BuiltRequest; readonly body: BuiltBody | undefined } {
  const { entry, call } = facts;
  const fixed = fixedAddressOf(facts);
  const address = fixed ?? addressOf(facts);
  const atHome = fixed !== undefined || address.origin === readBase(facts.baseUrl).origin;
  if (!atHome) refuseSecretsAbroad(call);
  const credentials = atHome ? credentialsOf(facts) : NO_CREDENTIALS;
  const spelling: FieldSpelling = { arrays: entry.http.queryArrays, styles: stylesOf(call) };

  const { headers, parameters } = headersOf(facts, atHome);
  const query = facts.address === undefined ? queryOf(facts, parameters) : {};
  refuseTakenNames("queryParams", query, { spelling, taken: credentials.query.map(([name]) => name) });
  // Addresses out of answers often repeat the key, also those that lead to another host.
  for (const name of facts.address === undefined ? [] : namesOfKeysInQuery(entry)) address.searchParams.delete(name);
  const credentialFields = credentials.query.map(([name, value]) => fieldOf(name, value));
  const fields = toQueryString([...toFields(query, spelling), ...credentialFields]);
  const url = fields === "" ? address : withFields(address, fields);

  Object.assign(headers, withCookies(headers, credentials.headers));
  const body = facts.body ?? bodyOf(facts, spelling, credentials);
  if (body === undefined) return { request: { method: call.method, url, headers }, body };
  if (body.isTypeBound === true) headers["content-type"] = body.contentType;
  headers["content-type"] ??= body.contentType;
  return { request: { method: call.method, url, headers, body: body.content }, body };
}

function withFields(address: URL, fields: string): URL {
  const url = new URL(address);
  url.search = url.search === "" ? `?${fields}` : `${url.search}&${fields}`;
  return url;
}

/** The fields of the query without credentials; `parameters` are sent in headers. */
function queryOf(
  { call, scope, callerInput, query }: RequestFacts,
  parameters: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const fixed = mergeOver(compiledCall(call).queryParams(scope), query ?? {});
  if (callerInput?.queryParams === undefined) return fixed;
  const given = Object.entries(fieldsIn(callerInput.queryParams)).filter(([name]) => !parameters.has(name));
  return mergeOver(fixed, Object.fromEntries(given));
}

function bodyOf(
  { entry, call, scope, callerInput }: RequestFacts,
  spelling: FieldSpelling,
  credentials: Credentials,
): BuiltBody | undefined {
  return buildBody({
    call,
    input: entry.input,
    scope,
    spelling,
    ...(callerInput !== undefined && { caller: { body: callerInput.body } }),
    credentials: credentials.body,
  });
}

function stylesOf(call: Call | RequestCall): FieldSpelling["styles"] {
  return ("styles" in call ? call.styles : undefined) ?? {};
}

/** Addresses that do not depend on the input, which many requests share: so they are parsed and checked once. */
const MOST_FIXED = 1_000;
const fixedAddresses = new LruCache<string, URL>(MOST_FIXED);

/** Undefined where the input, or an answer, is part of the address. */
function fixedAddressOf({ call, baseUrl, address }: RequestFacts): URL | undefined {
  if (address !== undefined || ("tool" in call && call.tool !== undefined)) return undefined;
  const { path } = fixedPath(call);
  if (path === undefined) return undefined;
  return fixedAddresses.getOrMake(`${baseUrl}\n${path}`, () => joinPath(baseUrl, path));
}

const fixedPath = oncePer((call: Call | RequestCall): { readonly path?: string } => {
  const { url, path } = compiledCall(call);
  if (url !== undefined || path?.every((segment) => segment.every(({ kind }) => kind === "text")) !== true) return {};
  return { path: renderPath(path, NOTHING_GIVEN, {}) };
});

const NOTHING_GIVEN: TemplateScope = { secrets: {}, input: {}, runId: "" };

function addressOf(facts: RequestFacts): URL {
  const { call, scope, baseUrl } = facts;
  if (facts.address !== undefined) return knownAddress(facts.address, facts, "the address of the next page");
  if ("tool" in call && call.tool !== undefined) return new URL(baseUrl);
  const { url, path } = compiledCall(call);
  if (url !== undefined) return declaredAddress(url, facts);
  return path === undefined ? new URL(baseUrl) : joinPath(baseUrl, renderPath(path, scope, stylesOf(call)));
}

/**
 * A complete address, often from an answer and therefore untrusted: only the base's own host and the hosts in
 * `allowHosts`, and without credentials. A reference at its very beginning is inserted unchanged, later ones are
 * encoded.
 */
function declaredAddress(parts: readonly TemplatePart[], facts: RequestFacts): URL {
  const { call, scope } = facts;
  const rendered = parts.map((part, index) => {
    if (part.kind === "text") return part.text;
    const value = resolveOrExplain(part, scope);
    return index === 0 ? toText(value) : encodeSegmentValue(part, value);
  });
  return knownAddress(rendered.join(""), facts, `the address made from ${JSON.stringify(call.url)}`);
}

/** Throws RequestError for what is no address, and for one that leads elsewhere. */
function knownAddress(text: string, { entry, baseUrl }: Pick<RequestFacts, "entry" | "baseUrl">, made: string): URL {
  if (!URL.canParse(text)) throw new RequestError(`${made} is not a web address`);
  const url = new URL(text);
  const base = new URL(baseUrl);
  const known = url.origin === base.origin || isAllowedHost(url, entry.http.allowHosts);
  if (!known || url.username !== "" || url.password !== "") {
    throw new RequestError(`${made} leads to ${url.host}, which is not in allowHosts`);
  }
  url.hash = "";
  return url;
}

/** A host, with its port if it has one; `*.example.com` stands for every host below it. */
function isAllowedHost(url: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.some((entry) => {
    const host = entry.toLowerCase();
    const [own = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(host)?.slice(1) ?? [];
    if (host.startsWith("*.")) return url.hostname.endsWith(own.slice(1)) && url.port === port;
    return host === url.host || (host === url.hostname && url.port === "");
  });
}

function refuseSecretsAbroad(call: Call | RequestCall): void {
  if (/\$\{secret\./.test(JSON.stringify([call.url, call.queryParams, call.body]))) {
    throw new RequestError("a secret would go to another host than the provider's own");
  }
}

function credentialsOf(facts: RequestFacts): Credentials {
  const { entry, scope, accessToken } = facts;
  if (facts.builtin === true) return { ...NO_CREDENTIALS, headers: { authorization: `Bearer ${accessToken ?? ""}` } };
  return renderCredentials(entry.http.auth, {
    scope,
    optionalSecrets: optionalSecretsOf(entry),
    ...(accessToken !== undefined && { accessToken }),
  });
}

function namesOfKeysInQuery({ http }: CallTarget): string[] {
  return http.auth.flatMap((auth) => (auth.type === "apiKey" && auth.in === "query" ? [auth.name] : []));
}

function optionalSecretsOf({ provider }: CallTarget): ReadonlySet<string> {
  return optionalOf(provider.secrets);
}

const optionalOf = oncePer(
  (secrets: CallTarget["provider"]["secrets"]): ReadonlySet<string> =>
    new Set(Object.entries(secrets).flatMap(([name, { optional }]) => (optional ? [name] : []))),
);

/** The headers of a call, and the names of the caller's parameters that are sent in them and not in the query. */
function headersOf(
  facts: RequestFacts,
  atHome: boolean,
): { readonly headers: MutableHeaders; readonly parameters: ReadonlySet<string> } {
  const { entry, call, scope } = facts;
  const optionalSecrets = optionalSecretsOf(entry);
  let parameters: Set<string> | undefined;
  const headers: MutableHeaders = { accept: "application/json, */*;q=0.5", "user-agent": "mkt" };
  for (const { name, parts, namesSecret, parameter } of [
    ...compiledHeaders(entry.http.headers),
    ...compiledCall(call).headers,
  ]) {
    if ((namesSecret && !atHome) || needsMissingSecret(parts, { scope, optionalSecrets })) continue;
    if (parameter !== undefined) {
      (parameters ??= new Set()).add(parameter);
      if (!isGiven(parameter, scope)) continue;
    }
    const style = parameter === undefined ? undefined : styleOf({ styles: stylesOf(call) }, parameter);
    const spell = parameter === undefined ? toText : (value: unknown) => headerText(value, style);
    headers[name] = renderHeader(parts, scope, spell);
  }
  const idempotency = "idempotency" in call ? call.idempotency : undefined;
  if (idempotency !== undefined) headers[idempotency.header.toLowerCase()] = scope.runId;
  if (entry.http.traceparent === true && atHome && scope.traceparent !== undefined) {
    headers["traceparent"] = scope.traceparent;
  }
  headers["accept-encoding"] = "identity";
  return { headers, parameters: parameters ?? NO_PARAMETERS };
}

const NO_PARAMETERS: ReadonlySet<string> = new Set();

function isGiven(parameter: string, { input }: TemplateScope): boolean {
  return (readInput(input, "queryParams", parameter.split(".")) ?? undefined) !== undefined;
}

function withCookies(headers: Readonly<MutableHeaders>, added: Readonly<MutableHeaders>): Readonly<MutableHeaders> {
  const { cookie } = headers;
  if (cookie === undefined || added["cookie"] === undefined) return added;
  return { ...added, cookie: `${cookie}; ${added["cookie"]}` };
}

/**
 * Builds the start call without secrets: an input that could never be sent is refused with a 400 before anything is
 * held. Returns the body unless it depends on a secret or the run, so that it need not be built again for the call.
 * Throws ApiError `invalidInput`.
 */
export function checkCallable(entry: CatalogEntry, input: InputSections): BuiltBody | undefined {
  if (entry.request.run !== undefined) return undefined;
  const secrets = Object.fromEntries(Object.keys(entry.provider.secrets).map((name) => [name, "secret"]));
  const facts: RequestFacts = {
    entry,
    call: entry.request,
    baseUrl: entry.http.baseUrl.startsWith("builtin:") ? "http://127.0.0.1:1" : entry.http.baseUrl,
    scope: { secrets, input, runId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" },
    callerInput: input,
  };
  try {
    const { body } = build(facts);
    return body !== undefined && isBodyOfInputAlone(entry).isSo ? body : undefined;
  } catch (cause) {
    if (!(cause instanceof RequestError)) throw cause;
    // An address may come from the caller's values or the file's; in both cases this input cannot be sent.
    throw new ApiError("invalidInput", `No request can be made of this input: ${cause.message}`, { cause });
  }
}

const isBodyOfInputAlone = oncePer(({ request, http }: CatalogEntry) => {
  const hasCredentials = http.auth.some((auth) => auth.type === "apiKey" && auth.in === "body");
  return { isSo: !hasCredentials && !/\$\{(?!input\.)/.test(JSON.stringify(request.body ?? {})) };
});
