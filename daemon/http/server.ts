import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ApiError } from "../../shared/errors.ts";
import type { Authenticate } from "./callers/access.ts";
import { toErrorResponse } from "./answers/error-response.ts";
import { toHostList, urlOf } from "./listener/host-list.ts";
import type { Idempotency } from "./routes/idempotency.ts";
import { InFlight } from "./listener/in-flight.ts";
import { parseJsonBody } from "./listener/json-body.ts";
import { createListener, requestIdOf } from "./listener/listener.ts";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { mountPages, type Pages } from "./routes/pages.ts";
import { mountRoutes } from "./routes/mount-routes.ts";
import type { ConnectionLimits } from "./listener/open-connections.ts";
import { createLoadGuard, type LoadGuard } from "./limits/load-guard.ts";
import { createRateGuard, type RateGuard } from "./limits/rate-limits.ts";
import type { HostList } from "./listener/request-head.ts";
import { createSourceReader, type SourceOf } from "./callers/request-source.ts";
import type { Route } from "./routes/route.ts";
import { ROUTER_OPTIONS } from "./routes/route-table.ts";
import { MountedRoutes } from "./routes/mounted-routes.ts";
import { answerUnknownRoute } from "./routes/unknown-route.ts";

const PUBLIC_PREFIX = "/public/v1/";

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  /** As `authenticate`, by what is known without asking anybody; absent: that is all there is. */
  readonly recognize?: Authenticate | undefined;
  /** Another number whenever a caller may have become another one; absent: each is asked about with its head and its body. */
  readonly identityRevision?: (() => number) | undefined;
  readonly idempotency: Idempotency;
  /** Allowed host names besides loopback: `name` (with any port) or `name:port`. */
  readonly allowedHosts: readonly string[];
  readonly maxBodyBytes: number;
  /** Shared by all ports; none when absent. */
  readonly rates?: RateGuard;
  /** Shared by all ports. */
  readonly load?: LoadGuard;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Sent as `x-mkt-version`. */
  readonly version: string;
  /** What `/health` answers to a probe whose host name is not one of this service's. */
  readonly status?: () => string;
  readonly logger: Logger;
  /** Checks every answer of a handler against its operation, and answers 500 where they disagree: for tests. */
  readonly validateResponses?: boolean;
  /** Limits of its connections; they override the defaults. */
  readonly connections?: Partial<ConnectionLimits> | undefined;
  /** What browsers load; not served where `publicOnly`. */
  readonly pages?: Pages;
  /** Serves nothing but `/public/v1`: the registry's port. */
  readonly publicOnly?: boolean;
  /** Called after each answer to an operation of the contract. */
  readonly onAnswered?: ((answer: Answered) => void) | undefined;
}

/** How an operation was answered, and in how many milliseconds. */
export interface Answered {
  readonly operation: string;
  readonly status: number;
  readonly ms: number;
}

export interface HttpServer extends AsyncDisposable {
  /** Resolves when connections are accepted; rejects as `listen` does (EADDRINUSE, EACCES). Port 0 picks a free one. */
  listen(host: string, port: number): Promise<void>;
  /** How the server is reached from its own machine, for example `http://127.0.0.1:7717`; only after `listen`. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no new connections, answers 503 to new requests on open ones, and waits for requests in progress. After
   * `timeoutMs` (default 5,000) signals abort and connections end. May be called again.
   */
  close(options?: { timeoutMs?: number }): Promise<void>;
}

/**
 * Connections that the system queues until they are accepted, one per turn of the event loop. Node asks for 511;
 * further ones are dropped, and their clients try again after 1, 3 and 7 s. The system has its own limit, 4,096 on
 * Linux.
 */
const BACKLOG = 4_096;
const DEFAULT_DRAIN_MS = 5_000;
/** Time for handlers to finish after their signal has aborted. */
const ABORT_GRACE_MS = 500;

/** The HTTP server of the service: contract values in, Fastify inside, unseen by features. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  return new FastifyServer(options);
}

class FastifyServer implements HttpServer {
  readonly #allowedHosts: readonly string[];
  readonly #app: FastifyInstance;
  readonly #inFlight = new InFlight();
  readonly #atWork = new Set<AbortController>();
  readonly #servers: Server[] = [];
  #hosts: HostList = toHostList("127.0.0.1", 0, []);
  #address: AddressInfo | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    this.#allowedHosts = options.allowedHosts;
    const sourceOf = createSourceReader(options.trustedProxies ?? []);
    const load = options.load ?? createLoadGuard();
    this.#app = this.#createApp(options, sourceOf, load);
    const publicOnly = options.publicOnly === true;
    const routes = options.routes.filter(({ operation }) => !publicOnly || operation.path.startsWith(PUBLIC_PREFIX));
    const mounted = new MountedRoutes(routes);
    const rates = options.rates ?? createRateGuard({ limits: {}, clock: systemClock });
    const context = {
      authenticate: rates.watch(options.authenticate),
      recognize: options.recognize,
      identityRevision: options.identityRevision,
      rates,
      load,
      sourceOf,
      idempotency: options.idempotency,
      inFlight: this.#inFlight,
      atWork: this.#atWork,
      validateResponses: options.validateResponses === true,
      publicOnly,
      logger: options.logger,
    };
    mountRoutes(this.#app, mounted, context);
    // With a callback, as the hooks below: a hook that is async costs every request promises and turns of their own.
    this.#app.addHook("onRequest", (request, reply, done) => {
      const closing = this.#refusalWhileClosing(reply);
      if (closing !== undefined) done(closing);
      else if (!request.is404) done();
      // A method that no operation has; `mountRoutes` answers for unknown paths.
      else void answerUnknownRoute(request, reply, mounted, context).catch(done);
    });
    if (options.onAnswered !== undefined) tellAnswers(this.#app, options.onAnswered);
    if (options.pages !== undefined && !publicOnly) mountPages(this.#app, options.pages, context);
  }

  get url(): string {
    return urlOf(this.#bound.address, this.#bound.port);
  }

  get port(): number {
    return this.#bound.port;
  }

  async listen(host: string, port: number): Promise<void> {
    await this.#app.listen({ host: host.replace(/^\[(.*)\]$/, "$1"), port, backlog: BACKLOG });
    const address = this.#app.server.address();
    if (address === null || typeof address === "string") {
      throw new Error(`the server listens on ${String(address)}, which is no address`);
    }
    this.#address = address;
    this.#hosts = toHostList(host, address.port, this.#allowedHosts);
  }

  async close({ timeoutMs = DEFAULT_DRAIN_MS }: { timeoutMs?: number } = {}): Promise<void> {
    this.#closed ??= this.#drain(timeoutMs);
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(timeoutMs: number): Promise<void> {
    const closed = this.#app.close();
    if (!(await this.#inFlight.idle(timeoutMs))) {
      for (const controller of this.#atWork) {
        controller.abort(new Error("the service is shutting down"));
      }
      await this.#inFlight.idle(ABORT_GRACE_MS);
    }
    for (const server of this.#servers) {
      server.closeAllConnections();
    }
    await closed;
  }

  #refusalWhileClosing(reply: FastifyReply): ApiError | undefined {
    if (this.#closed === undefined) return undefined;
    void reply.header("connection", "close");
    return new ApiError("unavailable", "The service is shutting down; try again in a moment", { retryAfterSeconds: 5 });
  }

  get #bound(): AddressInfo {
    if (this.#address === undefined) {
      throw new Error("the server does not listen yet");
    }
    return this.#address;
  }

  #createApp(
    { maxBodyBytes, version, status, publicOnly, connections, logger }: HttpServerOptions,
    sourceOf: SourceOf,
    load: LoadGuard,
  ): FastifyInstance {
    const onError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const answer = toErrorResponse(error, request.id, { maxBodyBytes });
      if (answer.hidden) {
        logger.error({ requestId: request.id, err: error }, "a request failed");
      }
      void reply.code(answer.status).headers(answer.headers).type("application/json");
      return reply.send(JSON.stringify(answer.body));
    };
    const app = fastify({
      logger: false,
      // Routes bring no schemas of Fastify's own: what would compile them is not even loaded.
      schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
      bodyLimit: maxBodyBytes,
      genReqId: requestIdOf,
      return503OnClosing: false,
      routerOptions: ROUTER_OPTIONS,
      frameworkErrors: onError,
      serverFactory: (next) => {
        const server = createListener({
          version,
          hosts: () => this.#hosts,
          inFlight: this.#inFlight,
          ...(status !== undefined && publicOnly !== true && { status }),
          sourceOf,
          limits: connections,
          logger,
          next,
        });
        server.on("connection", () => load.connectionCame());
        this.#servers.push(server);
        return server;
      },
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      "application/json",
      { parseAs: "buffer" },
      (_request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void) => {
        let parsed: unknown;
        try {
          parsed = parseJsonBody(body);
        } catch (error) {
          done(error as Error);
          return;
        }
        done(null, parsed);
      },
    );
    app.setErrorHandler(onError);
    app.addHook("onSend", (_request, reply, _payload, done) => {
      if (this.#closed !== undefined) {
        void reply.header("connection", "close");
      }
      done();
    });
    app.addHook("onResponse", (request, reply, done) => {
      logger.info(
        {
          requestId: request.id,
          method: request.method,
          operation: request.asked?.route.operation.operationId,
          status: reply.statusCode,
          durationMs: Math.round(reply.elapsedTime),
        },
        "request",
      );
      done();
    });
    return app;
  }
}

function noSchemas(): never {
  throw new Error("a route has a schema of Fastify's own");
}

function tellAnswers(app: FastifyInstance, tell: (answer: Answered) => void): void {
  app.addHook("onResponse", ({ asked }, { statusCode: status, elapsedTime: ms }, done) => {
    const operation = asked?.route.operation.operationId;
    if (operation !== undefined) tell({ operation, status, ms });
    done();
  });
}
