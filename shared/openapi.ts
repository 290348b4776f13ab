import type { z } from "zod";
import { errorStatuses, type Operation } from "./contract/operation.ts";
import { ErrorBody } from "./contract/common.ts";
import { toWireSchema, type JsonSchema, type SchemaComponents } from "./openapi-schema.ts";

export interface OpenApiOptions {
  /** `info.version`. */
  version: string;
  /** Base addresses of the service. */
  servers: readonly string[];
}

type Json = Record<string, unknown>;

const statusTexts: Record<number, string> = {
  200: "Success.",
  201: "Created.",
  202: "Accepted; the work continues in the background.",
  204: "Done; no body.",
  400: "Invalid input, malformed JSON or failed validation; also a request that is not valid HTTP.",
  401: "Credentials missing or not valid.",
  402: "The wallet of the workspace cannot cover the run. Never caused by a provider.",
  403: "No workspace, no right to this object, or a Host or Origin that is not allowed.",
  404: "No such object for this caller.",
  408: "The request did not arrive in time.",
  409: "The object is not in a state that allows this.",
  413: "The body is larger than the service accepts.",
  415: "The body is not application/json, or is compressed.",
  422: "The Idempotency-Key was used for another request.",
  429: "Too many requests.",
  431: "The request head is larger than the service accepts.",
  500: "Unexpected failure inside the service.",
  502: "The provider could not be reached, or the provider's 402 is mirrored.",
  503: "Not available for now.",
  507: "The disk of the service is full: nothing was recorded, called or charged.",
};

const requestIdHeader = { "x-request-id": { $ref: "#/components/headers/XRequestId" } };
const retryHeaders = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const rateLimitHeaders = {
  ...retryHeaders,
  "RateLimit-Limit": { $ref: "#/components/headers/RateLimitLimit" },
  "RateLimit-Remaining": { $ref: "#/components/headers/RateLimitRemaining" },
  "RateLimit-Reset": { $ref: "#/components/headers/RateLimitReset" },
  "X-RateLimit-Rule": { $ref: "#/components/headers/XRateLimitRule" },
};

const headerComponents = {
  XRequestId: { description: "Unique id of the request.", schema: { type: "string" } },
  RetryAfter: { description: "Whole seconds to wait.", schema: { type: "string" } },
  RateLimitLimit: { schema: { type: "integer" } },
  RateLimitRemaining: { schema: { type: "integer" } },
  RateLimitReset: { description: "Seconds until the window resets.", schema: { type: "integer" } },
  XRateLimitRule: { description: "Name of the rule that applied.", schema: { type: "string" } },
};

const clientKinds = { type: "string", "x-known-values": ["cli", "api", "mcp", "web"] };

/** Headers that every route with credentials accepts. docs/contract.md, "Workspaces" and "Who gets hints". */
const callerParameters = {
  WorkspaceId: {
    name: "x-workspace-id",
    in: "header",
    required: false,
    description:
      "Workspace to act in. Needed only for an access token that carries no organisation; an API key is bound to one workspace.",
    schema: { type: "string" },
  },
  Client: {
    name: "X-Mkt-Client",
    in: "header",
    required: false,
    description: "Declares the caller kind; decides how hints are written.",
    schema: clientKinds,
  },
  ClientAlias: {
    name: "X-Monid-Client",
    in: "header",
    required: false,
    description: "Compatibility name of X-Mkt-Client.",
    schema: clientKinds,
  },
};

/** The header of operations that create something. docs/contract.md, "Idempotency". */
const idempotencyParameter = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Names the request, within the workspace and for at least 24 hours. Repeating the same request creates nothing new and returns the first answer, with the header `Idempotent-Replayed: true`; 409 while there is none yet, 422 for another request with this key. Only answers that created something are kept. A full API key is never returned again.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  },
};

/** The contract as an OpenAPI 3.1 document: named schemas become components, in the order of their first use. */
export function toOpenApiDocument(operations: Readonly<Record<string, Operation>>, options: OpenApiOptions): Json {
  const schemas: SchemaComponents = {};
  const paths: Record<string, Json> = {};
  for (const operation of Object.values(operations)) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describeOperation(operation, schemas);
  }
  const tags = [...new Set(Object.values(operations).map((operation) => operation.tag))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Data Marketplace Service",
      version: options.version,
      description: "Discover data endpoints, run them for a price, read what they cost.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: options.servers.map((url) => ({ url })),
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        Bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "API key mkt_<stage>_<secret> (first word monid also accepted) or an identity-provider access token.",
        },
      },
      parameters: { ...callerParameters, ...idempotencyParameter },
      headers: headerComponents,
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

function describeOperation(operation: Operation, schemas: SchemaComponents): Json {
  const parameters = [
    ...describeParameters("path", operation.params, schemas),
    ...describeParameters("query", operation.query, schemas),
    ...describeParameters("header", operation.headers, schemas),
    ...(operation.idempotent === true ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ...(operation.auth === "none"
      ? []
      : Object.keys(callerParameters).map((name) => ({ $ref: `#/components/parameters/${name}` }))),
  ];
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    "x-tier": operation.tier,
    ...(operation.scope === undefined ? {} : { "x-scope": operation.scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(toWireSchema(operation.body, schemas)) } }),
    responses: describeResponses(operation, schemas),
    security: operation.auth === "none" ? [] : [{ Bearer: [] }],
  };
}

function describeParameters(
  place: "path" | "query" | "header",
  schema: z.ZodObject | undefined,
  schemas: SchemaComponents,
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => {
    const { description, ...rest } = toWireSchema(member as z.ZodType, schemas);
    return {
      name,
      in: place,
      required: place === "path" || !(member as z.ZodType).safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function describeResponses(operation: Operation, schemas: SchemaComponents): Json {
  const bodies: [number, z.ZodType | null][] = Object.entries(operation.responses).map(([status, schema]) => [
    Number(status),
    schema,
  ]);
  const all = [...bodies, ...errorStatuses(operation).map((status): [number, z.ZodType] => [status, ErrorBody])];
  return Object.fromEntries(
    all
      .sort(([a], [b]) => a - b)
      .map(([status, schema]) => [
        String(status),
        {
          description: textOf(operation, status),
          headers: {
            ...requestIdHeader,
            ...(status === 429 ? rateLimitHeaders : status === 503 || status === 507 ? retryHeaders : {}),
          },
          ...(schema === null ? {} : { content: contentOf(operation, status, toWireSchema(schema, schemas)) }),
        },
      ]),
  );
}

/** The body of a run's 408 is the run itself. */
function textOf({ responses }: Operation, status: number): string {
  if (status === 408 && status in responses) return "The run used up its time: status TIMED_OUT, nothing charged.";
  return statusTexts[status] ?? `Status ${status}.`;
}

function contentOf({ streams }: Operation, status: number, schema: JsonSchema): Json {
  if (streams === undefined || status >= 300) return jsonContent(schema);
  return Object.fromEntries(streams.map((type) => [type, { schema }]));
}

function jsonContent(schema: JsonSchema): Json {
  return { "application/json": { schema } };
}
