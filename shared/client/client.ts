import type { OperationId, Operations } from "../contract/index.ts";
import type { Operation, OperationAnswer, OperationInput } from "../contract/operation.ts";
import { operationPaths } from "../contract/operation-paths.ts";
import { nodeTransport } from "./node-transport.ts";
import { requestUrl } from "./request-url.ts";
import { ServiceError, UnreachableError } from "./service-error.ts";
import type { Transport, TransportAnswer } from "./transport.ts";

/** Who the hints of an answer are for. Contract semantics, 11. */
export type ClientKind = "cli" | "api" | "mcp" | "web";

export interface ClientOptions {
  /** May have a path of its own and trailing slashes. */
  baseUrl: string;
  /** API key or access token. */
  key?: string | undefined;
  workspaceId?: string | undefined;
  clientKind?: ClientKind | undefined;
  userAgent?: string | undefined;
  transport?: Transport | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Sent beside the client's own, such as Idempotency-Key. */
  headers?: Record<string, string> | undefined;
}

/** What the wire needs of an operation; an `Operation` is one. */
export type CallableOperation = Pick<Operation, "operationId" | "method" | "path">;

export interface ClientAnswer<Body> {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Body;
}

type OptionalWhenEmpty<Input> = Partial<Input> extends Input ? [input?: Input] : [input: Input];

type Method<Op extends Operation> = (
  ...args: [...OptionalWhenEmpty<OperationInput<Op>>, options?: CallOptions]
) => Promise<OperationAnswer<Op>>;

/**
 * One method per operation, named by its operationId, that returns the 2xx body; `call` returns status and headers
 * too. Both reject with {@link ServiceError} on any other status or an answer that is not JSON, with
 * {@link UnreachableError} when there was no answer, and with the signal's reason when it aborts.
 */
export type Client = { readonly [Id in OperationId]: Method<Operations[Id]> } & {
  call<Op extends Operation>(
    operation: Op,
    ...args: [...OptionalWhenEmpty<OperationInput<Op>>, options?: CallOptions]
  ): Promise<ClientAnswer<OperationAnswer<Op>>>;
};

interface RequestParts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

export function createClient(options: ClientOptions): Client {
  const transport = options.transport ?? nodeTransport();

  const call = async (
    operation: CallableOperation,
    input: RequestParts = {},
    callOptions: CallOptions = {},
  ): Promise<ClientAnswer<unknown>> => {
    const url = requestUrl(options.baseUrl, operation.path, input.params, input.query);
    const answer = await transport({
      method: operation.method,
      url,
      headers: requestHeaders(options, input, callOptions),
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(callOptions.signal ? { signal: callOptions.signal } : {}),
    }).catch((error: unknown) => {
      throw callOptions.signal?.aborted ? error : new UnreachableError(url, error);
    });
    return { status: answer.status, headers: answer.headers, body: readBody(answer, url) };
  };

  const methods: Record<string, unknown> = { call };
  for (const operation of Object.values(operationPaths)) {
    methods[operation.operationId] = async (input?: RequestParts, callOptions?: CallOptions) =>
      (await call(operation, input, callOptions)).body;
  }
  return methods as unknown as Client;
}

function requestHeaders(options: ClientOptions, input: RequestParts, callOptions: CallOptions): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (options.key !== undefined) headers["authorization"] = `Bearer ${options.key}`;
  if (options.workspaceId !== undefined) headers["x-workspace-id"] = options.workspaceId;
  if (options.clientKind !== undefined) headers["x-mkt-client"] = options.clientKind;
  if (options.userAgent !== undefined) headers["user-agent"] = options.userAgent;
  if (input.body !== undefined) headers["content-type"] = "application/json";
  for (const [name, value] of Object.entries(input.headers ?? {})) {
    if (value !== undefined) headers[name.toLowerCase()] = String(value);
  }
  return { ...headers, ...callOptions.headers };
}

/** The body of a success; throws for every other answer. */
function readBody(answer: TransportAnswer, url: string): unknown {
  const succeeded = answer.status >= 200 && answer.status < 300;
  if (succeeded && answer.body === "") return undefined;

  let body: unknown;
  try {
    body = JSON.parse(answer.body);
  } catch {
    const message = `${url} answered ${answer.status} with something that is not JSON. Is this the address of an mkt service?`;
    throw new ServiceError(message, { status: answer.status, headers: answer.headers, body: answer.body });
  }
  if (succeeded) return body;
  throw new ServiceError(messageOf(body) ?? `HTTP ${answer.status}`, {
    status: answer.status,
    headers: answer.headers,
    body,
  });
}

function messageOf(body: unknown): string | undefined {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  return typeof message === "string" ? message : undefined;
}
