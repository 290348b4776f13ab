import { isMembers, type Json, membersOf } from "../../support/openapi-upstream/api-document.ts";
import type { UpstreamCall } from "../../support/openapi-upstream/start-openapi-upstream.ts";
import type { RunInputs } from "./make-inputs.ts";

/** Whatever a caller gave and the upstream did not read as the same, in words. */
export function whatDidNotArrive(endpoint: Json, input: RunInputs, call: UpstreamCall): readonly string[] {
  const { path, query, header } = call.parameters;
  const request = membersOf(endpoint["request"]);
  const headers = headerNames(request);
  const inPath = Object.entries(membersOf(input.pathParams)).flatMap(([name, value]) => {
    const isThere = Object.values(path).some((arrived) => isSame(value, arrived));
    const isInQuery = JSON.stringify(request["queryParams"] ?? {}).includes(`pathParams.${name}}`);
    return isThere || isInQuery ? [] : [`pathParams.${name}: ${spell(value)} arrived as ${spell(path)}`];
  });
  const inQuery = Object.entries(membersOf(input.queryParams)).flatMap(([name, value]) => {
    const own = headers.get(name);
    const arrived = own === undefined ? query[name] : memberLike(header, own);
    return isSame(value, arrived) ? [] : [`queryParams.${name}: ${spell(value)} arrived as ${spell(arrived)}`];
  });
  return [...inPath, ...inQuery, ...whatOfTheBody(request, membersOf(input.body), call.body)];
}

/** Fields of queryParams that go into headers, with the names of those. */
function headerNames(request: Json): ReadonlyMap<string, string> {
  const found = Object.entries(membersOf(request["headers"])).flatMap(([header, template]) => {
    const field = /^\$\{input\.queryParams\.(.+)\}$/.exec(String(template))?.[1];
    return field === undefined ? [] : [[field, header] as const];
  });
  return new Map(found);
}

function memberLike(members: Json, name: string): unknown {
  return Object.entries(members).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
}

function whatOfTheBody({ bodyField }: Json, given: Json, arrived: unknown): readonly string[] {
  if (typeof bodyField === "string") {
    const value = given[bodyField];
    return value === undefined || isSame(value, arrived)
      ? []
      : [`the body ${spell(value)} arrived as ${spell(arrived)}`];
  }
  return Object.entries(given).flatMap(([name, value]) => {
    const own = membersOf(arrived)[name];
    return isSame(value, own) ? [] : [`body.${name}: ${spell(value)} arrived as ${spell(own)}`];
  });
}

/** A query, a form and a path have texts alone; empty lists and objects are no text, and files are bytes. */
function isSame(given: unknown, arrived: unknown): boolean {
  if (given === null || (typeof given === "object" && Object.keys(given).length === 0)) return true;
  if (Array.isArray(given)) {
    return Array.isArray(arrived) && given.every((item, index) => isSame(item, (arrived as unknown[])[index]));
  }
  if (isMembers(given)) {
    return isMembers(arrived) && Object.entries(given).every(([name, value]) => isSame(value, arrived[name]));
  }
  if (String(given) === String(arrived)) return true;
  return typeof given === "string" && Buffer.from(given, "base64").toString("latin1") === arrived;
}

function spell(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}
