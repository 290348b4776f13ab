import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ErrorBody } from "../../../shared/contract/common.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { ApiError } from "../../../shared/errors.ts";
import { type Caller, onlyKeyOf } from "../callers/caller.ts";
import { admit, type Authenticate, type Credentials } from "../callers/access.ts";
import { readClientKind } from "../../../shared/hints/client-kind.ts";
import { credentialsOf } from "../callers/credentials.ts";
import { type Idempotency, type KeyedRequest, readIdempotencyKey } from "./idempotency.ts";
import type { InFlight } from "../listener/in-flight.ts";
import { FixedDocument } from "../answers/fixed-document.ts";
import type { Logger } from "../../base/logger.ts";
import type { LoadGuard } from "../limits/load-guard.ts";
import type { RateGuard } from "../limits/rate-limits.ts";
import { parseParts } from "./request-parts.ts";
import type { SourceOf } from "../callers/request-source.ts";
import type { RequestStamp } from "./request-stamp.ts";
import type { HandlerRequest, Reply } from "./route.ts";
import type { Asked, MountedRoutes } from "./mounted-routes.ts";
import { TextStream } from "../answers/text-stream.ts";
import { toValidationMessage } from "../answers/validation-message.ts";
import { answerUnknownRoute, pathOf, unknownRoute } from "./unknown-route.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null where no route is, and for pages. */
    asked: Asked | null;
    sender: Sender | null;
  }
}

/** Who sends a request, as its head says. */
interface Sender {
  readonly credentials: Credentials;
  /** Found when the head had arrived, and the revision of what is known of keys at that moment. */
  caller?: Caller | undefined;
  revision?: number | undefined;
}

export interface MountContext {
  readonly authenticate: Authenticate;
  /**
   * Another number whenever what is known of keys, users or workspaces may have changed; absent where that cannot be told. While
   * it is the same, a key that does not expire is what it was.
   */
  readonly identityRevision?: (() => number) | undefined;
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

/**
 * Mounts all operations as one route of Fastify, as mounting each would cost a start more than all else of its servers. The
 * caller is checked before the body is read, and the parts before the handler runs.
 */
export function mountRoutes(app: FastifyInstance, mounted: MountedRoutes, context: MountContext): void {
  app.decorateRequest("asked", null);
  app.decorateRequest("sender", null);
  // Also of a request that is refused without a look at it: who watches is told what it asked for.
  app.addHook("onRequest", (request, _reply, done) => {
    request.asked = mounted.find(request.method, request.url) ?? null;
    done();
  });
  app.route({
    method: mounted.methods,
    url: "/*",
    onRequest: async (request, reply) => {
      const { asked } = request;
      if (asked === null) return await answerUnknownRoute(request, reply, mounted, context);
      await letIn(request, reply, asked, context);
    },
    handler: async (request, reply) => {
      const { asked } = request;
      if (asked === null) throw new Error("a request without a route has come to a handler");
      await answerAsked(request, reply, asked, context);
    },
  });
}

/** Checks what the head of a request says. */
async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { route: { operation }, params }: Asked,
  context: MountContext,
): Promise<void> {
  if (hasEmptyPart(params)) throw unknownRoute(request.method, pathOf(request), context);
  // Before any look-up: a refusal must cost next to nothing.
  await context.load.enter(operation);
  if (reply.raw.destroyed) throw callerHungUp();
  const sender: Sender = { credentials: credentialsOf(request, context.sourceOf) };
  request.sender = sender;
  let caller: Caller | undefined;
  try {
    sender.revision = context.identityRevision?.();
    caller = sender.caller = await mayEnter(operation, sender, request, context);
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
}

async function answerAsked(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Asked,
  context: MountContext,
): Promise<void> {
  const { route } = asked;
  const { operation } = route;
  const end = context.inFlight.begin();
  const controller = new AbortController();
  context.atWork.add(controller);
  abortOnHangUp(controller, reply);
  try {
    const caller = await stillCaller(operation, request, context);
    const handlerRequest = toHandlerRequest(asked, request, caller, controller);
    const handle = (stamp?: RequestStamp) => {
      handlerRequest.idempotency = stamp;
      const answer = context.load.atWork(operation, controller, (pause) => {
        handlerRequest.pause = pause;
        return route.handle(handlerRequest);
      });
      return context.validateResponses ? answer.then((made) => checkReply(operation, made)) : answer;
    };
    const keyed = toKeyedRequest(operation, request, handlerRequest);
    const answer = keyed === undefined ? await handle() : await context.idempotency.answer(keyed, handle);
    const sending = sendReply(reply, answer, controller);
    if (sending !== undefined) await sending;
  } finally {
    context.atWork.delete(controller);
    end();
  }
}

async function mayEnter(
  operation: Operation,
  sender: Sender,
  request: FastifyRequest,
  context: MountContext,
): Promise<Caller | undefined> {
  const { authenticate, recognize } = context;
  if (recognize === undefined) return await callerBy(authenticate, operation, sender, request, context);
  try {
    return await callerBy(recognize, operation, sender, request, context);
  } catch {
    return await callerBy(authenticate, operation, sender, request, context);
  }
}

/** Asked again: the key may have been revoked while the body arrived slowly. */
async function stillCaller(
  operation: Operation,
  request: FastifyRequest,
  context: MountContext,
): Promise<Caller | undefined> {
  const sender = request.sender ?? { credentials: credentialsOf(request, context.sourceOf) };
  if (isUnchanged(sender, context)) return sender.caller;
  return await callerBy(context.authenticate, operation, sender, request, context);
}

async function callerBy(
  authenticate: Authenticate,
  operation: Operation,
  { credentials }: Sender,
  request: FastifyRequest,
  context: MountContext,
): Promise<Caller | undefined> {
  return await admit(
    operation,
    () => authenticate(credentials),
    () => unknownRoute(request.method, pathOf(request), context),
  );
}

type MutableRequest = { -readonly [Name in keyof HandlerRequest<Operation>]: HandlerRequest<Operation>[Name] };

function toHandlerRequest(
  asked: Asked,
  request: FastifyRequest,
  caller: Caller | undefined,
  controller: AbortController,
): MutableRequest {
  const begin = request.url.indexOf("?");
  const { params, query, headers, body } = parseParts(asked.route.operation, {
    params: asked.params,
    query: begin < 0 ? undefined : new URLSearchParams(request.url.slice(begin + 1)),
    headers: request.headers,
    body: request.body,
  });
  return {
    params,
    query,
    headers,
    body,
    caller,
    client: readClientKind((name) => headerOf(request, name)),
    requestId: request.id,
    idempotency: undefined,
    pause: undefined,
    // Most handlers do not ask for it, and a signal costs more than all else here.
    get signal() {
      return controller.signal;
    },
    // `route()` gives the handler the types of its operation; here they are erased.
  } as unknown as MutableRequest;
}

/** What was found with the head holds: nothing that could change it was written since, and no date ends it. */
function isUnchanged({ caller, revision }: Sender, { identityRevision }: MountContext): boolean {
  if (caller === undefined || revision === undefined || identityRevision?.() !== revision) return false;
  return caller.kind === "API_KEY" && caller.session === undefined && caller.key?.expiresAt === undefined;
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
function hasEmptyPart(params: Asked["params"]): boolean {
  for (const name in params) if (params[name] === "") return true;
  return false;
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
function checkReply(operation: Operation, answer: Reply): Reply {
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
    return answer;
  }
  if (schema === null) {
    if (answer.body !== undefined) {
      throw new Error(`${operation.operationId} declares no body for the status ${answer.status}`);
    }
    return answer;
  }
  const content = answer.body instanceof FixedDocument ? answer.body.read() : answer.body;
  const result = schema.safeParse(content, { reportInput: true });
  if (!result.success) {
    const faults = toValidationMessage("body", result.error.issues);
    throw new Error(`${operation.operationId} answered ${answer.status} against its contract: ${faults}`);
  }
  return answer;
}

/** A stream is sent when this resolves; all else at once. */
function sendReply(
  reply: FastifyReply,
  answer: Reply,
  caller: Pick<AbortController, "signal">,
): FastifyReply | undefined {
  void reply.code(answer.status);
  if (answer.headers !== undefined) void reply.headers(answer.headers);
  if (answer.body === undefined) {
    void reply.send();
    return undefined;
  }
  if (answer.body instanceof TextStream) {
    // If a piece fails, the answer is cut off, not ended: an incomplete file must not look complete.
    const { mediaType, pieces, cut } = answer.body;
    const { signal } = caller;
    const ends = cut === undefined ? signal : AbortSignal.any([signal, cut]);
    return reply.type(mediaType).send(Readable.from(pieces, { signal: ends }));
  }
  if (answer.body instanceof FixedDocument) void reply.type(answer.body.mediaType).send(answer.body.bytes);
  else void reply.type("application/json").send(JSON.stringify(answer.body));
  return undefined;
}
