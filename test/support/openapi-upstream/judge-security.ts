import type { Demand, Json, Operation } from "./api-document.ts";
import { decodeQuery, readPairs } from "./decode-values.ts";
import { cookiesOf, headerOf, type UpstreamRequest } from "./upstream-request.ts";

/** Where the schemes of an operation put their credentials. */
export interface KeyPlaces {
  readonly query: ReadonlySet<string>;
  /** In lower case. */
  readonly headers: ReadonlySet<string>;
  readonly cookies: ReadonlySet<string>;
}

export function keyPlaces({ demands }: Operation): KeyPlaces {
  const places = { query: new Set<string>(), headers: new Set<string>(), cookies: new Set<string>() };
  for (const { scheme } of demands.flat()) {
    if (scheme === undefined) continue;
    const name = String(scheme["name"]);
    if (scheme["type"] !== "apiKey") places.headers.add("authorization");
    else if (scheme["in"] === "query") places.query.add(name);
    else if (scheme["in"] === "cookie") places.cookies.add(name);
    else places.headers.add(name.toLowerCase());
  }
  return places;
}

/** What is wrong with the proof of who calls; `credentials` are those that the stand-in knows. */
export function judgeSecurity(
  operation: Operation,
  request: UpstreamRequest,
  credentials: ReadonlySet<string>,
): readonly string[] {
  return [...complainOfDemands(operation.demands, request, credentials), ...findLeaks(operation, request, credentials)];
}

function complainOfDemands(
  demands: readonly Demand[],
  request: UpstreamRequest,
  credentials: ReadonlySet<string>,
): readonly string[] {
  const unmet = demands.map((demand) =>
    demand.flatMap(({ name, scheme }) => {
      const why = scheme === undefined ? "is declared nowhere" : whyUnmet(scheme, request, credentials);
      return why === undefined ? [] : [`${name} ${why}`];
    }),
  );
  const [first] = unmet;
  if (first === undefined || unmet.some((complaints) => complaints.length === 0)) return [];
  return [`security: ${first.join(" and ")}${unmet.length > 1 ? ", nor is any other demand met" : ""}`];
}

function whyUnmet(scheme: Json, request: UpstreamRequest, credentials: ReadonlySet<string>): string | undefined {
  if (scheme["type"] === "apiKey") return whyNoKey(scheme, request, credentials);
  const authorization = headerOf(request, "authorization");
  if (authorization === undefined) return "needs the header Authorization";
  const kind = schemeOfHeader(scheme);
  const [word = "", value = ""] = authorization.split(" ");
  if (word.toLowerCase() !== kind) return `needs Authorization: ${kind}, and it is ${word}`;
  if (kind !== "basic") return credentials.has(value) ? undefined : "has a token that nobody gave";
  const [name = "", ...password] = Buffer.from(value, "base64").toString().split(":");
  return credentials.has(name) && credentials.has(password.join(":")) ? undefined : "has another name or password";
}

function schemeOfHeader(scheme: Json): string {
  if (scheme["type"] === "basic") return "basic";
  return scheme["type"] === "http" ? String(scheme["scheme"]).toLowerCase() : "bearer";
}

function whyNoKey(scheme: Json, request: UpstreamRequest, credentials: ReadonlySet<string>): string | undefined {
  const name = String(scheme["name"]);
  const place = String(scheme["in"]);
  const found = keyIn(place, name, request);
  if (found === undefined) return `needs ${name} in the ${place}`;
  // Some describe a bearer token as a key in the header Authorization.
  const value = /^authorization$/i.test(name) ? found.replace(/^bearer /i, "") : found;
  return credentials.has(value) ? undefined : `has ${name} in the ${place} with another value`;
}

function keyIn(place: string, name: string, request: UpstreamRequest): string | undefined {
  if (place === "header") return headerOf(request, name);
  if (place === "cookie") return cookiesOf(request).get(name);
  const pair = readPairs(request.query).find((one) => one.name === name);
  return pair === undefined ? undefined : decodeQuery(pair.raw);
}

/** Credentials that stand where neither a scheme nor a declared parameter has them. */
function findLeaks(
  operation: Operation,
  request: UpstreamRequest,
  credentials: ReadonlySet<string>,
): readonly string[] {
  const places = keyPlaces(operation);
  const declared = (place: string) =>
    operation.parameters.filter((one) => one.in === place).map(({ name }) => name.toLowerCase());
  const query = new Set([...[...places.query].map((name) => name.toLowerCase()), ...declared("query")]);
  const headers = new Set([...places.headers, ...(places.cookies.size > 0 ? ["cookie"] : []), ...declared("header")]);
  const holds = (text: string) => [...credentials].some((credential) => text.includes(credential));
  return [
    ...readPairs(request.query)
      .filter(({ name, raw }) => !query.has(name.toLowerCase()) && holds(decodeQuery(raw)))
      .map(({ name }) => `a credential stands in the query as ${name}`),
    ...Object.keys(request.headers)
      .filter((name) => !headers.has(name) && holds(shownHeader(request, name)))
      .map((name) => `a credential stands in the header ${name}`),
    ...(holds(request.path) ? ["a credential stands in the path"] : []),
    ...(holds(request.bytes.toString()) ? ["a credential stands in the body"] : []),
  ];
}

function shownHeader(request: UpstreamRequest, name: string): string {
  const text = headerOf(request, name) ?? "";
  return name === "authorization" ? `${text} ${Buffer.from(text.slice(6), "base64").toString()}` : text;
}

/** A token for client credentials, as `Basic` or in the form; undefined with what is wrong. RFC 6749, 4.4. */
export function complainOfTokenRequest(request: UpstreamRequest, credentials: ReadonlySet<string>): string | undefined {
  const form = new URLSearchParams(request.bytes.toString());
  if (request.method !== "POST") return `a token was asked for with ${request.method}`;
  if (form.get("grant_type") !== "client_credentials") return "a token was asked for without its grant type";
  const authorization = headerOf(request, "authorization") ?? "";
  const basic = Buffer.from(authorization.replace(/^basic /i, ""), "base64")
    .toString()
    .split(":");
  const [id, secret] = authorization === "" ? [form.get("client_id"), form.get("client_secret")] : basic;
  const isKnown = [id, secret].every((part) => part != null && credentials.has(decodeURIComponent(part)));
  return isKnown ? undefined : "a token was asked for by a client that nobody knows";
}
