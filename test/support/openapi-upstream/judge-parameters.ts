import type { Parameter } from "./api-document.ts";
import {
  Complaint,
  decode,
  type Pair,
  parseJson,
  readFromHeader,
  readFromPairs,
  readFromPath,
  readPairs,
  readValue,
} from "./decode-values.ts";
import type { DocumentSchemas, Kind } from "./document-schemas.ts";
import type { PathMatch } from "./path-template.ts";
import { cookiesOf, headerOf, type UpstreamRequest } from "./upstream-request.ts";

/** What arrived, decoded by the document's rules. */
export interface DecodedParameters {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly header: Record<string, unknown>;
  readonly cookie: Record<string, unknown>;
}

interface Judging {
  readonly request: UpstreamRequest;
  readonly match: PathMatch;
  readonly schemas: DocumentSchemas;
  /** Names of query parameters that carry credentials. */
  readonly keysInQuery: ReadonlySet<string>;
  readonly complaints: string[];
}

/** Headers that belong to the connection, to the media types and to the credentials. */
const HEADERS_OF_THEIR_OWN: ReadonlySet<string> = new Set(
  "host connection content-length transfer-encoding accept accept-encoding user-agent content-type authorization cookie".split(
    " ",
  ),
);
/** Of these names a document can declare no header. OpenAPI, "Parameter Object". */
const MEANINGLESS_HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/** Decodes every declared parameter and complains of what is missing, malformed or not declared. */
export function judgeParameters(judging: Judging): DecodedParameters {
  const { match, request, keysInQuery, complaints } = judging;
  const decoded: DecodedParameters = { path: {}, query: {}, header: {}, cookie: {} };
  const pairs = readPairs(request.query);
  claimFixed(pairs, judging);
  for (const pair of pairs) if (keysInQuery.has(pair.name)) pair.owner ??= "a credential";
  for (const parameter of openObjectsLast(match.operation.parameters, judging.schemas)) {
    try {
      judgeParameter(parameter, pairs, decoded, judging);
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      complaints.push(`${parameter.in} parameter ${parameter.name}: ${error.message}`);
    }
  }
  for (const [name, raw] of match.values) {
    // Undeclared placeholders are texts.
    if (!isDeclared(match, "path", name)) decoded.path[name] = decode(raw);
  }
  for (const { name, owner } of pairs) {
    if (owner === undefined)
      complaints.push(`the query has ${JSON.stringify(name)}, which the document does not declare`);
  }
  return decoded;
}

function isDeclared({ operation }: PathMatch, place: Parameter["in"], name: string): boolean {
  return operation.parameters.some((one) => one.in === place && one.name === name);
}

/** What an exploded object without declared members leaves over is unknown until all others were read. */
function openObjectsLast(parameters: readonly Parameter[], schemas: DocumentSchemas): readonly Parameter[] {
  const isOpen = ({ in: place, explode, schema }: Parameter) =>
    place === "query" && explode && schemas.kindsOf(schema).includes("object") && schemas.membersOf(schema).isOpen;
  return [...parameters.filter((one) => !isOpen(one)), ...parameters.filter(isOpen)];
}

function claimFixed(pairs: readonly Pair[], { match, complaints }: Judging): void {
  for (const [name, value] of match.fixedQuery) {
    if (isDeclared(match, "query", name)) continue;
    const pair = pairs.find((one) => one.name === name);
    const isPlaceholder = /\{[^{}]+\}/.test(value);
    if (pair === undefined) complaints.push(`the path fixes ${name}=${value} in the query, and it is missing`);
    else if (!isPlaceholder && decode(pair.raw) !== decode(value)) {
      complaints.push(`the path fixes ${name}=${value} in the query, and it is ${pair.raw}`);
    }
    if (pair !== undefined) pair.owner = "the path";
  }
}

function judgeParameter(
  parameter: Parameter,
  pairs: readonly Pair[],
  decoded: DecodedParameters,
  { match, request, schemas }: Judging,
): void {
  const { name, in: place, isJson, required } = parameter;
  if (place === "header" && MEANINGLESS_HEADERS.has(name.toLowerCase())) return;
  const read = readerOf(parameter, pairs, { match, request, schemas });
  const value = isJson ? readJson(parameter, schemas, read) : readValue(parameter.schema, schemas, read);
  if (value !== undefined) decoded[place][name] = value;
  // One of the path that stands nowhere in it has no place to be sent in.
  else if (required && (place !== "path" || match.values.has(name)))
    throw new Complaint("it is required and was not sent");
}

function readJson({ schema }: Parameter, schemas: DocumentSchemas, read: (kind: Kind) => unknown): unknown {
  const text = read("scalar");
  if (text === undefined) return undefined;
  const value = parseJson(String(text));
  const [complaint] = schemas.complaints(schema, value);
  if (complaint !== undefined) throw new Complaint(complaint);
  return value;
}

function readerOf(
  parameter: Parameter,
  pairs: readonly Pair[],
  { match, request, schemas }: Pick<Judging, "match" | "request" | "schemas">,
) {
  const { name, in: place, schema } = parameter;
  switch (place) {
    case "path": {
      const raw = match.values.get(name);
      return (kind: Kind) => (raw === undefined ? undefined : readFromPath(raw, parameter, kind));
    }
    case "query":
      return (kind: Kind) => readFromPairs(pairs, parameter, kind, schemas.membersOf(schema));
    case "header": {
      const text = headerOf(request, name);
      return (kind: Kind) => (text === undefined ? undefined : readFromHeader(text, parameter, kind));
    }
    case "cookie": {
      const text = cookiesOf(request).get(name);
      return (kind: Kind) => (text === undefined ? undefined : readFromHeader(text, parameter, kind));
    }
  }
}

/** Complains of headers and cookies that nothing declares. */
export function judgeUndeclaredHeaders(
  { request, match, complaints }: Judging,
  keys: { readonly headers: ReadonlySet<string>; readonly cookies: ReadonlySet<string> },
): void {
  const { parameters } = match.operation;
  const declared = parameters.filter((one) => one.in === "header").map(({ name }) => name.toLowerCase());
  const known = new Set([...declared, ...HEADERS_OF_THEIR_OWN, ...keys.headers]);
  for (const name of Object.keys(request.headers)) {
    if (!known.has(name)) complaints.push(`the header ${name} is not declared`);
  }
  const knownCookies = new Set([
    ...parameters.filter((one) => one.in === "cookie").map(({ name }) => name),
    ...keys.cookies,
  ]);
  for (const name of cookiesOf(request).keys()) {
    if (!knownCookies.has(name)) complaints.push(`the cookie ${name} is not declared`);
  }
}
