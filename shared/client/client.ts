import type { OperationId, Operations } from "../contract/index.ts";
import type { Operation, OperationAnswer, OperationInput } from "../contract/operation.ts";
import { operationPaths } from "../contract/operation-paths.ts";
import { nodeStreamTransport, nodeTransport } from "./node-transport.ts";
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
  /** Told the headers of the answer, whatever its status; names in lower case. */
  onHeaders?: ((headers: Record<string, string>) => void) | undefined;
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

/** Operations whose answer is text that comes piece by piece, and no JSON. */
type StreamedId = {
  [Id in OperationId]: Operations[Id] extends { readonly streams: readonly string[] } ? Id : never;
}[OperationId];

/**
 * One method per operation, named by its operationId, that returns the 2xx body; `call` returns status and headers
 * too, and `stream` a body that is no JSON as it comes: reading it throws when it is cut off. All reject with {@link ServiceError} on any other status or an answer that is not JSON, with
 * {@link UnreachableError} when there was no answer, and with the signal's reason when it aborts.
 */
export type Client = { readonly [Id in Exclude<OperationId, StreamedId>]: Method<Operations[Id]> } & {
  call<Op extends Operation>(
    operation: Op,
    ...args: [...OptionalWhenEmpty<OperationInput<Op>>, options?: CallOptions]
  ): Promise<ClientAnswer<OperationAnswer<Op>>>;
  stream<Id extends StreamedId>(
    operationId: Id,
    ...args: [...OptionalWhenEmpty<OperationInput<Operations[Id]>>, options?: CallOptions]
  ): Promise<AsyncIterable<Uint8Array>>;
};

interface RequestParts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

export function createClient(options: ClientOptions): Client {
  const transport = options.transport ?? nodeTransport();
  const streamTransport = nodeStreamTransport();

  const toRequest = (operation: CallableOperation, input: RequestParts, callOptions: CallOptions) => ({
    method: operation.method,
    url: requestUrl(options.baseUrl, operation.path, input.params, input.query),
    headers: requestHeaders(options, input, callOptions),
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(callOptions.signal ? { signal: callOptions.signal } : {}),
  });

  const call = async (
    operation: CallableOperation,
    input: RequestParts = {},
    callOptions: CallOptions = {},
  ): Promise<ClientAnswer<unknown>> => {
    const request = toRequest(operation, input, callOptions);
    const answer = await transport(request).catch((error: unknown) => {
      throw callOptions.signal?.aborted ? error : new UnreachableError(request.url, error);
    });
    callOptions.onHeaders?.(answer.headers);
    return { status: answer.status, headers: answer.headers, body: readBody(answer, request.url) };
  };

  const stream = async (
    operationId: StreamedId,
    input: RequestParts = {},
    callOptions: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> => {
    const request = toRequest(operationPaths[operationId], input, callOptions);
    const toUnreachable = (error: unknown): never => {
      throw callOptions.signal?.aborted ? error : new UnreachableError(request.url, error);
    };
    const { body, ...head } = await streamTransport(request).catch(toUnreachable);
    if (head.status < 200 || head.status >= 300) {
      const text = await readText(body).catch(toUnreachable);
      readBody({ ...head, body: text }, request.url);
    }
    return withFailures(body, toUnreachable);
  };

  const methods: Record<string, unknown> = { call, stream };
  for (const operation of Object.values(operationPaths)) {
    methods[operation.operationId] = async (input?: RequestParts, callOptions?: CallOptions) =>
      (await call(operation, input, callOptions)).body;
  }
  return methods as unknown as Client;
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** Passes the pieces on, and what goes wrong with them to `fail`. */
async function* withFailures(
  body: AsyncIterable<Uint8Array>,
  fail: (error: unknown) => never,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    fail(error);
  }
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
