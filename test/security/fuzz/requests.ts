import fc from "fast-check";
import { type Caller, callersOf } from "./callers.ts";
import { type Endpoint, endpointsOf, type OpenApiDocument, type Parameter, type Schema } from "./document.ts";
import { type NamedValues, type SchemaSurroundings, valuesOf } from "./from-schema.ts";
import { foreignIdOf, idOf, type IdKind } from "./known-ids.ts";
import { BAZAAR, purchases, runBodies, STALL } from "./purchases.ts";
import { brokenBodies, hostileTexts, nearlyValid } from "./spoil.ts";

/** One request before it is sent: plain data, in which ids may still be places (`known-ids.ts`). */
export interface FuzzRequest {
  readonly operationId: string;
  readonly as: Caller;
  readonly method: string;
  /** As the document has it, with `{name}` for each of `params`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Stands in the place of all parameters and is sent as it is, not encoded. */
  readonly rawParam?: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  /** To the registry's port. */
  readonly registry: boolean;
}

/** Of a hundred requests so many are runs that somebody means. */
const PURCHASES_OF_HUNDRED = 54;

/** Requests to every operation of the document: valid ones, nearly valid ones and hostile ones. */
export function requestsOf(
  document: OpenApiDocument,
  { scratch }: { readonly scratch: string },
): fc.Arbitrary<FuzzRequest> {
  const { schemas } = document.components;
  const endpoints = endpointsOf(document);
  const anything = fc.oneof(
    ...endpoints.map((endpoint) => requestsTo(endpoint, { schemas, named: namedValues(endpoint, scratch) })),
  );
  const startRun = endpoints.find(({ operationId }) => operationId === "startRun")!;
  return fc.oneof(
    { arbitrary: purchasesAt(startRun), weight: PURCHASES_OF_HUNDRED },
    { arbitrary: anything, weight: 100 - PURCHASES_OF_HUNDRED },
  );
}

function purchasesAt({ operationId, method, path }: Endpoint): fc.Arbitrary<FuzzRequest> {
  const buyers = fc.constantFrom<Caller>(...Array<Caller>(8).fill("payer"), "neighbour", "ours");
  const keys = rarely(idempotencyKeys, 4);
  return fc.tuple(runBodies, buyers, keys).map(([body, as, key]) => ({
    operationId,
    as,
    method,
    path,
    params: {},
    query: [],
    headers: [jsonType, ...(key === undefined ? [] : [["idempotency-key", key] as const])],
    body: JSON.stringify(body),
    registry: false,
  }));
}

const jsonType = ["content-type", "application/json"] as const;
/** Seldom the same one twice: most of them are to make something. */
const idempotencyKeys = fc.nat(5_000).map((nth) => `fuzz-${nth}`);

/** One part of a request that is not as it should be. */
type Trouble = "none" | "params" | "query" | "headers" | "body" | "type";

/** Most requests are whole, so that what they make is there for the next; of the others one part is spoilt. */
const troubles: Readonly<Record<Trouble, number>> = { none: 12, params: 1, query: 2, headers: 2, body: 4, type: 1 };

function requestsTo(endpoint: Endpoint, surroundings: SchemaSurroundings): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...Object.entries(troubles).map(([trouble, weight]) => ({
      arbitrary: requestsWith(trouble as Trouble, endpoint, surroundings),
      weight,
    })),
  );
}

function requestsWith(
  trouble: Trouble,
  endpoint: Endpoint,
  surroundings: SchemaSurroundings,
): fc.Arbitrary<FuzzRequest> {
  const { operationId, method, path, open, parameters, body: schema } = endpoint;
  const inPlace = (place: Parameter["in"]) => parameters.filter((parameter) => parameter.in === place);
  const [inPath, inQuery, inHeader] = [inPlace("path"), inPlace("query"), inPlace("header")];
  const spoilt = (part: Trouble) => part === trouble;
  return fc
    .record({
      as: callersOf(endpoint),
      params: fc.record(
        Object.fromEntries(inPath.map(({ name }) => [name, pathValues(name, surroundings, spoilt("params"))])),
      ),
      rawParam: spoilt("params") && inPath.length > 0 ? rarely(rawParams, 2) : fc.constant(undefined),
      query: spoilt("query") ? spoiltQueries(inQuery, surroundings) : queries(inQuery, surroundings),
      headers: spoilt("headers") ? spoiltHeaders(inHeader) : headers(inHeader, surroundings),
      body: bodiesOf(operationId, schema, surroundings, spoilt("body")),
      type: spoilt("type") ? spoiltTypes : fc.constant([jsonType]),
      registry: path.startsWith("/public/v1/") ? fc.boolean() : fc.constant(false),
    })
    .map(({ as, params, rawParam, query, headers: sent, body, type, registry }) => ({
      operationId,
      method,
      path,
      as: open && as === "minted" ? "nobody" : as,
      params,
      ...(rawParam !== undefined && { rawParam }),
      query,
      headers: body === undefined ? sent : [...sent, ...type],
      // A client of HTTP sends no body with GET.
      ...(body !== undefined && method !== "GET" && { body }),
      registry,
    }));
}

/** Sent as they are, in the place of an id. */
const rawParams = fc.constantFrom(
  "%zz",
  "%00",
  "..%2f..",
  "%2e%2e",
  "%ff",
  "a%2Fb",
  ";a=b",
  "",
  "a//b",
  "%F0%9F%92%A9",
);

type HeaderList = readonly (readonly [string, string])[];

const spoiltTypes = fc.constantFrom<HeaderList>(
  [],
  [["content-type", "text/plain"]],
  [["content-type", "application/x-www-form-urlencoded"]],
  [["content-type", "application/json; charset=utf-16"]],
  [["content-type", "APPLICATION/JSON; charset=UTF-8"]],
  [["content-type", "application/json, text/plain"]],
  [["content-type", ";;"]],
  [jsonType, ["content-encoding", "gzip"]],
);

function bodiesOf(
  operationId: string,
  schema: Schema | undefined,
  surroundings: SchemaSurroundings,
  spoilt: boolean,
): fc.Arbitrary<string | undefined> {
  if (schema === undefined) return spoilt ? fc.constantFrom("{}", "[", "x") : fc.constant(undefined);
  const any = valuesOf(schema, surroundings);
  const valid = operationId === "startRun" || operationId === "quoteRun" ? fc.oneof(runBodies, any) : any;
  if (!spoilt) return valid.map(toText);
  return fc.oneof(
    { arbitrary: nearlyValid(valid).map(toText), weight: 6 },
    { arbitrary: brokenBodies(valid), weight: 1 },
  );
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function queries(
  parameters: readonly Parameter[],
  surroundings: SchemaSurroundings,
): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const one = ({ name, required, schema }: Parameter) => {
    const any = valuesOf(schema, surroundings).map(plainText);
    const value = surroundings.named(name)?.map(plainText) ?? any;
    const entry = fc.tuple(fc.constant(name), value);
    return required ? entry : rarely(entry, 4);
  };
  return fc.tuple(...parameters.map(one)).map((entries) => entries.filter((entry) => entry !== undefined));
}

function spoiltQueries(
  parameters: readonly Parameter[],
  surroundings: SchemaSurroundings,
): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const names = fc.constantFrom(...parameters.map(({ name }) => name), "__proto__", "sloppy", "", "limit[]", "dryRun");
  // A query beyond the size of a head is a matter of the listener, and has its own tests.
  const strange = fc.tuple(names, hostileTexts).map(([name, text]) => [name, text.slice(0, 300)] as const);
  return fc
    .tuple(queries(parameters, surroundings), fc.array(strange, { minLength: 1, maxLength: 2 }))
    .map(([known, more]) => [...known, ...more]);
}

function headers(
  parameters: readonly Parameter[],
  surroundings: SchemaSurroundings,
): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const one = ({ name, schema }: Parameter) => {
    const value = (surroundings.named(name) ?? valuesOf(schema, surroundings)).map(plainText);
    // Whoever names a workspace is in another one, as a rule.
    return rarely(fc.tuple(fc.constant(name), value), name === "x-workspace-id" ? 30 : 4);
  };
  return fc.tuple(...parameters.map(one)).map((some) => some.filter((header) => header !== undefined));
}

function spoiltHeaders(parameters: readonly Parameter[]): fc.Arbitrary<HeaderList> {
  const strange = fc.constantFrom<HeaderList>(
    [["origin", "https://evil.example"]],
    [["origin", "null"]],
    [["sec-fetch-site", "cross-site"]],
    [["x-request-id", "mine-1"]],
    [["accept", "text/html"]],
    [["accept-encoding", "gzip, br"]],
    [
      ["x-forwarded-for", "10.0.0.1"],
      ["x-forwarded-for", "10.0.0.2"],
    ],
    [["cookie", "session=1"]],
    [["range", "bytes=0-1"]],
    [["x-long", "x".repeat(4_000)]],
    [["x-http-method-override", "DELETE"]],
  );
  const names = parameters.map(({ name }) => name);
  const known = fc.array(fc.tuple(fc.constantFrom(...names, "x-request-id"), printable), {
    minLength: 1,
    maxLength: 2,
  });
  const twice = known.map((some) => [...some, ...some]);
  return fc.oneof(strange, known, twice);
}

/** What a header can carry at all. */
const printable = fc.string({ maxLength: 300 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?").trim());

function pathValues(name: string, { named }: SchemaSurroundings, spoilt: boolean): fc.Arbitrary<string> {
  const meant = named(name);
  return spoilt || meant === undefined ? hostileTexts.map((text) => text.slice(0, 200)) : meant.map(plainText);
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function rarely<T>(arbitrary: fc.Arbitrary<T>, oneOf: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: oneOf - 1 }, { arbitrary, weight: 1 });
}

/** What members and parameters mean by their names, wherever they stand. */
function namedValues({ operationId }: Endpoint, scratch: string): NamedValues {
  const some = (kind: IdKind) =>
    fc.oneof(
      { arbitrary: fc.nat(400).map((nth) => idOf(kind, nth)), weight: 8 },
      { arbitrary: fc.nat(400).map((nth) => foreignIdOf(kind, nth)), weight: 1 },
      { arbitrary: fc.constant("01JD0000000000000000000000"), weight: 1 },
    );
  const labels = fc.oneof(
    some("label"),
    fc.nat(200).map((nth) => `label-${nth}`),
  );
  const questions = fc.constantFrom(
    "weather",
    "phone number",
    "reports about weather",
    "harbour",
    "天気",
    "a b c d e f g",
  );
  const table: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    provider: fc.constantFrom(BAZAAR, BAZAAR, BAZAAR, "nobody", "atlas"),
    providers: fc.constant([BAZAAR, STALL]),
    endpoint: purchases.map(({ endpoint }) => endpoint),
    endpoints: fc.constantFrom([`${BAZAAR}/now`], [`${STALL}/now`, `${BAZAAR}/report`]),
    input: purchases.map(({ input }) => input),
    q: questions,
    query: questions,
    category: fc.constantFrom("sky", "weather", "nothing"),
    kind: fc.constantFrom("phone-number", "sky"),
    wait: fc.constantFrom(0, 0.1, 0.3),
    deadlineMs: fc.integer({ min: 1_000, max: 3_000 }),
    tag: fc.constantFrom("team:red", "job:1", "team"),
    keyLabel: some("label"),
    label: labels,
    name: fc.constantFrom("BAZAAR_KEY", "SPARE_KEY"),
    slug: fc.nat(200).map((nth) => `slug-${nth}`),
    cursor: fc.oneof(
      { arbitrary: some(`cursor_${operationId}`), weight: 6 },
      { arbitrary: some("cursor_listRuns"), weight: 1 },
    ),
    runId: some("runId"),
    resourceId: some("resourceId"),
    parent: some("resourceId"),
    budgetControlId: some("budgetControlId"),
    runCapControlId: some("runCapControlId"),
    webhookId: some("webhookId"),
    url: fc.constantFrom(
      "https://hooks.invalid/a",
      "https://hooks.invalid/b?c=d",
      "https://127.0.0.1/",
      "http://[::1]:80",
    ),
    workspaceId: some("workspaceId"),
    windowStart: some("windowStart"),
    "x-workspace-id": some("workspaceId"),
    "Idempotency-Key": idempotencyKeys,
    username: fc.nat(200).map((nth) => `user-${nth}`),
    expiresAt: fc.constantFrom("2999-01-01T00:00:00Z", "2888-01-01T00:00:00Z", "2001-01-01T00:00:00Z"),
    // Few, for each copies the whole folder. Never beside the scratch folder: a backup is written where it is told to be.
    directory: fc.oneof(
      fc.nat(12).map((nth) => `${scratch}/backup-${nth}`),
      fc.constantFrom(
        `${scratch}/file`,
        `${scratch}/dangling`,
        `${scratch}/\u0000`,
        `${scratch}/file/below`,
        "relative",
        scratch,
      ),
    ),
  };
  return (name) => table[name];
}
