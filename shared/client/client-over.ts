import type { OperationId, Operations } from "../contract/index.ts";
import type { Operation, OperationAnswer, OperationInput } from "../contract/operation.ts";
import { operationPaths } from "../contract/operation-paths.ts";
import { parseExactly } from "../json/parse-exactly.ts";
import { requestUrl } from "./request-url.ts";
import { ServiceError, UnreachableError } from "./service-error.ts";
import type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";

/** Who the hints of an answer are for. docs/contract.md, "Who gets hints". */
export type ClientKind = "cli" | "api" | "mcp" | "web";

export interface ClientOptions {
  /** May have a path of its own and trailing slashes. */
  baseUrl: string;
  /** API key or access token. */
  key?: string | undefined;
  workspaceId?: string | undefined;
  clientKind?: ClientKind | undefined;
  userAgent?: string | undefined;
  /** The transport for requests; default: plain `node:http`, which does not use proxies. */
  transport?: Transport | undefined;
  /** Called with the headers of every answer, whatever its status; names in lower case. */
  onHeaders?: ((headers: Record<string, string>) => void) | undefined;
  /** Called with every JSON body of a successful answer. */
  onAnswer?: ((answer: { operationId: string; body: unknown }) => void) | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Sent in addition to the client's own, such as Idempotency-Key. */
  headers?: Record<string, string> | undefined;
  /** Called with the headers of the answer, whatever its status; names in lower case. */
  onHeaders?: ((headers: Record<string, string>) => void) | undefined;
}

/** The members of an operation that a request needs; an `Operation` has them. */
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

/** Operations whose answer is streamed text, not JSON. */
type StreamedId = {
  [Id in OperationId]: Operations[Id] extends { readonly streams: readonly string[] } ? Id : never;
}[OperationId];

/**
 * One method for each operation, named by its operationId, that returns the 2xx body. `call` returns status and headers
 * too, `stream` streams a body that is not JSON, and `open` streams any body of any route, with status and headers:
 * reading it throws when it is cut off. All reject with {@link ServiceError} for any other status or, where JSON is
 * read, an answer that is not JSON, with {@link UnreachableError} when there was no answer, and with the signal's
 * reason when it aborts.
 */
export type Client = { readonly [Id in Exclude<OperationId, StreamedId>]: Method<Operations[Id]> } & {
  call<Op extends Operation>(
    operation: Op,
    ...args: [...OptionalWhenEmpty<OperationInput<Op>>, options?: CallOptions]
  ): Promise<ClientAnswer<OperationAnswer<Op>>>;
  open(operation: CallableOperation, input?: RequestParts, options?: CallOptions): Promise<TransportAnswer>;
  stream<Id extends StreamedId>(
    operationId: Id,
    ...args: [...OptionalWhenEmpty<OperationInput<Operations[Id]>>, options?: CallOptions]
  ): Promise<AsyncIterable<Uint8Array>>;
};

/** The parts of a request as an operation names them. */
export interface RequestParts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

/** A client over any transport: without `node:http`, which a browser does not have. */
export function clientOver(bound: BoundOptions): Client {
  const call: CallParts<ClientAnswer<unknown>> = async (...parts) => await callWhole(bound, ...parts);
  const open: CallParts<TransportAnswer> = async (...parts) => await openBody(bound, ...parts);
  const stream = async (operationId: StreamedId, input?: RequestParts, callOptions?: CallOptions) =>
    (await open(operationPaths[operationId], input, callOptions)).body;

  const methods: Record<string, unknown> = { call, open, stream };
  for (const operation of Object.values(operationPaths)) {
    methods[operation.operationId] = async (input?: RequestParts, callOptions?: CallOptions) =>
      (await call(operation, input, callOptions)).body;
  }
  return methods as unknown as Client;
}

type BoundOptions = ClientOptions & { readonly transport: Transport };

type CallParts<Answer> = (
  operation: CallableOperation,
  input?: RequestParts,
  callOptions?: CallOptions,
) => Promise<Answer>;

async function callWhole(
  options: BoundOptions,
  operation: CallableOperation,
  input: RequestParts = {},
  callOptions: CallOptions = {},
): Promise<ClientAnswer<unknown>> {
  const request = toRequest(options, operation, input, callOptions);
  const { status, headers, body } = await readWhole(options.transport(request)).catch((error: unknown) => {
    throw callOptions.signal?.aborted ? error : new UnreachableError(request.url, error);
  });
  reportHeaders(headers, options, callOptions);
  const answer = { status, headers, body: readBody({ status, headers, body }, request.url) };
  options.onAnswer?.({ operationId: operation.operationId, body: answer.body });
  return answer;
}

async function openBody(
  options: BoundOptions,
  operation: CallableOperation,
  input: RequestParts = {},
  callOptions: CallOptions = {},
): Promise<TransportAnswer> {
  const request = toRequest(options, operation, input, callOptions);
  const toUnreachable = (error: unknown): never => {
    throw callOptions.signal?.aborted ? error : new UnreachableError(request.url, error);
  };
  const { body, ...head } = await options.transport(request).catch(toUnreachable);
  reportHeaders(head.headers, options, callOptions);
  if (head.status < 200 || head.status >= 300) {
    const text = await readText(body).catch(toUnreachable);
    readBody({ ...head, body: text }, request.url);
  }
  return { ...head, body: withFailures(body, toUnreachable) };
}

function toRequest(
  options: ClientOptions,
  operation: CallableOperation,
  input: RequestParts,
  callOptions: CallOptions,
): TransportRequest {
  return {
    method: operation.method,
    url: requestUrl(options.baseUrl, operation.path, input.params, input.query),
    headers: requestHeaders(options, input, callOptions),
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(callOptions.signal ? { signal: callOptions.signal } : {}),
  };
}

function reportHeaders(headers: Record<string, string>, options: ClientOptions, callOptions: CallOptions): void {
  options.onHeaders?.(headers);
  callOptions.onHeaders?.(headers);
}

interface WholeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

async function readWhole(answering: Promise<TransportAnswer>): Promise<WholeAnswer> {
  const { status, headers, body } = await answering;
  return { status, headers, body: await readText(body) };
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** Passes the chunks on, and their errors to `fail`. */
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

/** The body of a successful answer; throws for every other answer. */
function readBody(answer: WholeAnswer, url: string): unknown {
  const succeeded = answer.status >= 200 && answer.status < 300;
  if (succeeded && answer.body === "") return undefined;

  let body: unknown;
  try {
    // Other services may send numbers that JavaScript would change.
    body = parseExactly(answer.body);
  } catch {
    const message = `${url} answered ${answer.status} with something that is not JSON. Is this the address of an mkt service?`;
    throw new ServiceError(message, { ...answer, url });
  }
  if (succeeded) return body;
  throw new ServiceError(messageOf(body) ?? `HTTP ${answer.status}`, {
    status: answer.status,
    headers: answer.headers,
    body,
    url,
  });
}

function messageOf(body: unknown): string | undefined {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  return typeof message === "string" ? message : undefined;
}
