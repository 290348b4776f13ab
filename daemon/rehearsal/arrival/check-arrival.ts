import { memberOf } from "../../../shared/member-of.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Call, RequestCall } from "../../manifest/manifest.ts";
import { parseTemplate, referencesOf, type TemplateScope } from "../../manifest/template.ts";
import { checkArrivedBody } from "./check-arrived-body.ts";
import { checkFields, holdsValue } from "./check-fields.ts";
import { type ArrivalFacts, credentialParts, fixedParts, partsOf, rendered, resolved } from "./expected-parts.ts";
import type { Arrival } from "./stand-in.ts";

/**
 * Checks a request against the manifest with its own, simple interpretation, so that it does not share bugs with the
 * code that built the request. Returns what is wrong, in words.
 */
export async function checkArrival(arrival: Arrival, facts: ArrivalFacts): Promise<string[]> {
  return [...checkEnvelope(arrival, facts), ...(await checkArrivedBody(arrival, facts))];
}

/** Everything but the body. */
export function checkEnvelope(arrival: Arrival, facts: ArrivalFacts): string[] {
  const atHome = arrival.origin === facts.home;
  return [
    ...checkMethod(arrival, facts.call),
    ...checkPath(arrival, facts),
    ...checkQuery(arrival, facts, atHome),
    ...checkHeaders(arrival, facts, atHome),
    ...(atHome ? [] : checkNoSecret(arrival, facts.scope)),
  ];
}

/** Whether the request may be this call, by its method and the shape of its path. */
export function mayBeCall({ method, url }: Arrival, { call, entry }: Pick<ArrivalFacts, "call" | "entry">): boolean {
  if (method !== call.method) return false;
  return call.url !== undefined || pathPattern(call, entry).test(url.pathname);
}

function checkMethod({ method }: Arrival, call: Call): string[] {
  return method === call.method ? [] : [`the method is ${method}; the manifest says ${call.method}`];
}

const PLACEHOLDER = /\$\{[^}]+\}|\{[^{}/]+\}/g;

function pathOf(call: Call | RequestCall, entry: CatalogEntry): string {
  const base = new URL(entry.http.baseUrl).pathname;
  return call.path === undefined ? base : `${base.replace(/\/+$/, "")}${call.path}`;
}

function pathPattern(call: Call | RequestCall, entry: CatalogEntry): RegExp {
  const literals = pathOf(call, entry)
    .split(PLACEHOLDER)
    .map((text) => escapeForPattern(encodeURI(text).replaceAll("%25", "%")));
  return new RegExp(`^${literals.join("([^/]+)")}$`);
}

function checkPath({ url }: Arrival, { call, entry, scope }: ArrivalFacts): string[] {
  if (call.url !== undefined) return [];
  const found = pathPattern(call, entry).exec(url.pathname);
  if (found === null) return [`the path is ${url.pathname}; the manifest says ${pathOf(call, entry)}`];
  const placeholders = pathOf(call, entry).match(PLACEHOLDER) ?? [];
  return placeholders.flatMap((placeholder, index) => {
    const wanted = placeholder.startsWith("$")
      ? rendered(placeholder, scope)
      : memberOf(scope.input.pathParams, placeholder.slice(1, -1));
    const came = decoded(found[index + 1] ?? "");
    return holdsValue(came, wanted) ? [] : [`${placeholder} in the path came as ${JSON.stringify(came)}`];
  });
}

function checkQuery({ url }: Arrival, facts: ArrivalFacts, atHome: boolean): string[] {
  const { call, entry, scope, callerInput } = facts;
  const expected = [
    ...[...new URL(entry.http.baseUrl).searchParams].map(([name, value]) => ({ name, value })),
    ...fixedParts(call.queryParams, scope, callerInput?.queryParams),
    ...partsOf(callerInput?.queryParams).filter(({ name }) => !goesIntoHeader(name, facts)),
    ...(atHome ? credentialParts(facts, "query") : []),
  ];
  // The cursor of a further page, and the parameters of an address from an answer, are not in the manifest.
  const cursor = "pages" in call ? memberOf(call.pages, "param") : undefined;
  const allowed = (name: string) => call.url !== undefined || name === cursor;
  return checkFields([...url.searchParams], expected, { place: "query", allowed });
}

/** A parameter that a header consists of is sent only there. */
function goesIntoHeader(name: string, { entry, call }: ArrivalFacts): boolean {
  const templates = [...Object.values(entry.http.headers), ...Object.values(call.headers ?? {})];
  return templates.includes(`\${input.queryParams.${name}}`);
}

function checkHeaders({ headers }: Arrival, facts: ArrivalFacts, atHome: boolean): string[] {
  const { entry, call, scope } = facts;
  const idempotency = "idempotency" in call ? call.idempotency : undefined;
  const own = Object.entries(call.headers ?? {});
  const ownNames = new Set(own.map(([name]) => name.toLowerCase()));
  const inherited = Object.entries(entry.http.headers).filter(([name]) => !ownNames.has(name.toLowerCase()));
  const templates = [...inherited, ...own].filter(
    ([, template]) => (atHome || !template.includes("${secret.")) && !isOfStructure(template, scope),
  );
  const expected = [
    ...templates.map(([name, template]) => ({ name, value: rendered(template, scope) })),
    ...(idempotency === undefined ? [] : [{ name: idempotency.header, value: scope.runId }]),
    ...(atHome ? credentialParts(facts, "header") : []),
  ];
  const cookies = (headers["cookie"] ?? "").split("; ");
  return [
    ...expected.flatMap(({ name, value }) => {
      const came = headers[name.toLowerCase()];
      if (value === undefined || came === value || isMultipartType(name, call)) return [];
      return [came === undefined ? `the header ${name} is missing` : `the header ${name} came with another value`];
    }),
    ...(atHome ? credentialParts(facts, "cookie") : [])
      .filter(({ name, value }) => !cookies.includes(`${name}=${String(value)}`))
      .map(({ name }) => `the cookie ${name} is missing or came with another value`),
  ];
}

/** A multipart body has its own content type, with its boundary. */
function isMultipartType(name: string, { encoding }: Call): boolean {
  return encoding === "multipart" && name.toLowerCase() === "content-type";
}

/** The format of a list or an object in a header depends on styles, so it is not compared. */
function isOfStructure(template: string, scope: TemplateScope): boolean {
  const parts = parseTemplate(template);
  return parts.ok && referencesOf(parts.value).some((reference) => typeof resolved(reference, scope) === "object");
}

function checkNoSecret({ url, headers, body }: Arrival, { secrets }: TemplateScope): string[] {
  const all = decoded(url.href) + Object.values(headers).join("\n") + body.toString();
  const leaked = Object.entries(secrets).filter(([, value]) => all.includes(value));
  return leaked.map(([name]) => `the secret ${name} went to another origin than that of the base URL`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
