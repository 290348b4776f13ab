import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ErrorBody } from "../../shared/contract/common.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { ApiError } from "../../shared/errors.ts";
import { type Caller, onlyKeyOf } from "./caller.ts";
import { admit, type Authenticate } from "./access.ts";
import { readClientKind } from "../../shared/hints/client-kind.ts";
import { credentialsOf } from "./credentials.ts";
import { type Idempotency, type KeyedRequest, readIdempotencyKey } from "./idempotency.ts";
import type { InFlight } from "./in-flight.ts";
import { FixedDocument } from "./fixed-document.ts";
import type { Logger } from "../base/logger.ts";
import type { LoadGuard } from "./load-guard.ts";
import type { RateGuard } from "./rate-limits.ts";
import { parseParts } from "./request-parts.ts";
import type { SourceOf } from "./request-source.ts";
import type { RequestStamp } from "./request-stamp.ts";
import type { HandlerRequest, Reply, Route } from "./route.ts";
import { toRouterPath } from "./route-table.ts";
import { oncePer } from "../base/once-per.ts";
import { TextStream } from "./text-stream.ts";
import { toValidationMessage } from "./validation-message.ts";
import { pathOf, unknownRoute } from "./unknown-route.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    operationId?: string;
  }
}

export interface MountContext {
  readonly authenticate: Authenticate;
  /** Cheaper than `authenticate`, and enough to let a request's body in; who is refused is asked about there. */
  readonly recognize?: Authenticate | undefined;
  readonly sourceOf: SourceOf;
  readonly rates: Pick<RateGuard, "count" | "countPublic">;
  readonly load: LoadGuard;
  readonly idempotency: Idempotency;
  readonly inFlight: InFlight;
  /** One for each running handler; the server aborts them when draining has run out of time. */
  readonly atWork: Set<AbortController>;
  readonly validateResponses: boolean;
  /** Whether this is the registry's port. */
  readonly publicOnly: boolean;
  readonly logger: Logger;
}

/** Adds a route to the router. The caller is checked before the body is read, and the parts before the handler runs. */
export function mountRoute(app: FastifyInstance, route: Route, context: MountContext): void {
  const { operation } = route;
  const credentials = oncePer((request: FastifyRequest) => credentialsOf(request, context.sourceOf));
  const callerBy = async (authenticate: Authenticate, request: FastifyRequest) =>
    await admit(
      operation,
      () => authenticate(credentials(request)),
      () => unknownRoute(request.method, pathOf(request), context),
    );
  const callerOf = async (request: FastifyRequest) => await callerBy(context.authenticate, request);
  const mayEnter = async (request: FastifyRequest) => {
    if (context.recognize === undefined) return await callerOf(request);
    try {
      return await callerBy(context.recognize, request);
    } catch {
      return await callerOf(request);
    }
  };
  app.route({
    method: operation.method,
    url: toRouterPath(operation.path),
    config: { operationId: operation.operationId },
    onRequest: async (request, reply) => {
      if (hasEmptyPart(request)) throw unknownRoute(request.method, pathOf(request), context);
      // Before any look-up: a refusal must cost next to nothing.
      await context.load.enter(operation);
      if (reply.raw.destroyed) throw callerHungUp();
      let caller: Caller | undefined;
      try {
        caller = await mayEnter(request);
      } catch (error) {
        // A client that tries one key after another must not slow down those with valid keys.
        await context.load.holdRefusal();
        throw error;
      }
      if (caller !== undefined) void reply.headers(context.rates.count(caller));
      else if (operation.load !== "vital") {
        void reply.headers(context.rates.countPublic(context.sourceOf(request.raw)));
      }
      refuseEncodedBody(request);
    },
    handler: async (request, reply) => {
      const end = context.inFlight.begin();
      const controller = new AbortController();
      context.atWork.add(controller);
      abortOnHangUp(controller, reply);
      try {
        // Checked again: the key may have been revoked while the body arrived slowly.
        const handlerRequest = toHandlerRequest(operation, request, await callerOf(request), controller.signal);
        const handle = async (stamp?: RequestStamp) => {
          const answer = await context.load.atWork(
            operation,
            controller.signal,
            async (pause) => await route.handle({ ...handlerRequest, idempotency: stamp, pause }),
          );
          if (context.validateResponses) {
            checkReply(operation, answer);
          }
          return answer;
        };
        const keyed = toKeyedRequest(operation, request, handlerRequest);
        const answer = keyed === undefined ? await handle() : await context.idempotency.answer(keyed, handle);
        return await sendReply(reply, answer, controller.signal);
      } finally {
        context.atWork.delete(controller);
        end();
      }
    },
  });
}

function toHandlerRequest(
  operation: Operation,
  request: FastifyRequest,
  caller: Caller | undefined,
  signal: AbortSignal,
): HandlerRequest<Operation> {
  const begin = request.url.indexOf("?");
  const parts = parseParts(operation, {
    params: routerParams(request),
    query: begin < 0 ? undefined : new URLSearchParams(request.url.slice(begin + 1)),
    headers: request.headers,
    body: request.body,
  });
  return {
    ...parts,
    caller,
    client: readClientKind((name) => headerOf(request, name)),
    requestId: request.id,
    signal,
    // `route()` gives the handler the types of its operation; here they are erased.
  } as unknown as HandlerRequest<Operation>;
}

/** Undefined for a request without a key, and for operations that create nothing, which ignore keys. */
function toKeyedRequest(
  operation: Operation,
  request: FastifyRequest,
  { caller, params, body }: { readonly caller: Caller | undefined; readonly params: unknown; readonly body: unknown },
): KeyedRequest | undefined {
  if (operation.idempotent !== true || caller?.workspaceId === undefined) return undefined;
  const key = readIdempotencyKey(headerOf(request, "idempotency-key"));
  if (key === undefined) return undefined;
  // A caller that sees only its own things must not get another key's run by guessing its idempotency key.
  const own = onlyKeyOf(caller);
  const scope = own === undefined ? caller.workspaceId : `${caller.workspaceId} ${own.keyId}`;
  return { key, workspaceId: scope, operationId: operation.operationId, params, body };
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether a part of the path that the operation names is empty. */
function hasEmptyPart(request: FastifyRequest): boolean {
  const params = request.params as Record<string, string>;
  for (const name in params) if (params[name] === "") return true;
  return false;
}

/** The router calls the rest of a path `*`; contracts call it `endpoint`. */
function routerParams(request: FastifyRequest): Record<string, string> {
  const all = request.params as Record<string, string>;
  if (all["*"] === undefined) return all;
  const { "*": rest, ...params } = all;
  return { ...params, endpoint: rest };
}

/** Not an error of this service: otherwise clients that hang up could fill the log with errors. */
function callerHungUp(): ApiError {
  return new ApiError("unavailable", "The caller hung up");
}

function abortOnHangUp(controller: AbortController, { raw }: FastifyReply): void {
  raw.once("close", () => {
    if (!raw.writableFinished) {
      controller.abort(callerHungUp());
    }
  });
}

function refuseEncodedBody(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new ApiError("unsupportedMediaType", "Content-Encoding: compressed bodies are not accepted; send plain JSON");
  }
}

/**
 * An answer that the contract does not allow is a bug of this service. Only an error may have an undeclared status,
 * because a mirrored status is whatever a provider says. docs/contract.md, "Mirroring".
 */
function checkReply(operation: Operation, answer: Reply): void {
  const declared = operation.responses[answer.status];
  const schema = declared === undefined && answer.status >= 400 ? ErrorBody : declared;
  if (schema === undefined) {
    throw new Error(`${operation.operationId} does not declare the status ${answer.status}`);
  }
  if (answer.body instanceof TextStream || (answer.body instanceof FixedDocument && !answer.body.isJson)) {
    const [mediaType = ""] = answer.body.mediaType.split(";");
    if (operation.streams?.includes(mediaType) !== true) {
      throw new Error(`${operation.operationId} declares no stream of ${mediaType}`);
    }
    return;
  }
  if (schema === null) {
    if (answer.body !== undefined) {
      throw new Error(`${operation.operationId} declares no body for the status ${answer.status}`);
    }
    return;
  }
  const content = answer.body instanceof FixedDocument ? answer.body.read() : answer.body;
  const result = schema.safeParse(content, { reportInput: true });
  if (!result.success) {
    const faults = toValidationMessage("body", result.error.issues);
    throw new Error(`${operation.operationId} answered ${answer.status} against its contract: ${faults}`);
  }
}

async function sendReply(reply: FastifyReply, answer: Reply, signal: AbortSignal): Promise<FastifyReply> {
  void reply.code(answer.status);
  if (answer.headers !== undefined) void reply.headers(answer.headers);
  if (answer.body === undefined) {
    return await reply.send();
  }
  if (answer.body instanceof TextStream) {
    // If a piece fails, the answer is cut off, not ended: an incomplete file must not look complete.
    const { mediaType, pieces, cut } = answer.body;
    const ends = cut === undefined ? signal : AbortSignal.any([signal, cut]);
    return await reply.type(mediaType).send(Readable.from(pieces, { signal: ends }));
  }
  if (answer.body instanceof FixedDocument) return await reply.type(answer.body.mediaType).send(answer.body.bytes);
  return await reply.type("application/json").send(JSON.stringify(answer.body));
}
