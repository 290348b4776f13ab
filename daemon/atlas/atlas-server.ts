import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { errorText } from "../../shared/error-text.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { OpenConnections, DEFAULT_CONNECTION_LIMITS } from "../http/listener/open-connections.ts";
import { AtlasError } from "./basics/atlas-error.ts";
import type { AtlasAnswer, AtlasCall, AtlasContext, AtlasRoute } from "./routes/atlas-route.ts";
import { atlasRoutes } from "./routes/atlas-routes.ts";
import { AtlasTables } from "./tables/atlas-tables.ts";
import { Jobs } from "./reports/jobs.ts";
import { reportKinds } from "./routes/report-routes.ts";
import { Slices } from "./basics/slices.ts";
import { Timers } from "./routes/timers.ts";

const MAX_BODY_BYTES = 1_048_576;
/** Statuses whose answers have no body in HTTP. */
const BODILESS = new Set([204, 205, 304]);

/** A running atlas. `close` ends its jobs and connections at once: atlas keeps nothing that could be lost. */
export interface Atlas extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, no slash at the end. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface AtlasOptions {
  /** The bearer token that every request must have. */
  readonly token: string;
  readonly clock?: Clock;
  /** The maximum number of connections: other programs on this machine can reach the port too. */
  readonly maxConnections?: number;
}

/**
 * Starts the bundled provider on a free loopback port, in this process, so that it ends with the daemon.
 *
 * It answers only requests with `Authorization: Bearer <token>`. Heavy work is cut into slices of a few milliseconds,
 * so the daemon's own requests are answered in between.
 */
export async function startAtlas({ token, clock = systemClock, maxConnections }: AtlasOptions): Promise<Atlas> {
  const closing = new AbortController();
  const tables = new AtlasTables();
  const slices = new Slices();
  const jobs = new Jobs(reportKinds, { clock, tables, slices });
  const context: AtlasContext = { clock, tables, slices, jobs, timers: new Timers(), closing: closing.signal };
  const tokenHash = hash(`Bearer ${token}`);

  const connections = new OpenConnections({
    limits: { ...DEFAULT_CONNECTION_LIMITS, ...(maxConnections !== undefined && { maxConnections }) },
  });
  const server = createServer((request, response) => {
    connections.take(request, response, () => {
      void answer(request, context, tokenHash).then((answered) => send(response, answered));
    });
  });
  connections.watch(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      closing.abort();
      slices.close();
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closed;
  };
  return { url: `http://127.0.0.1:${port}`, port, close, [Symbol.asyncDispose]: close };
}

/** Never rejects: errors become answers. */
async function answer(request: IncomingMessage, context: AtlasContext, tokenHash: Buffer): Promise<AtlasAnswer> {
  try {
    if (!timingSafeEqual(hash(request.headers.authorization ?? ""), tokenHash)) {
      throw new AtlasError(401, "atlas answers only the daemon that started it: the bearer token is missing or wrong.");
    }
    const url = new URL(request.url ?? "/", "http://atlas");
    const { route, params } = getRoute(request.method ?? "GET", url.pathname);
    const key = request.headers["idempotency-key"];
    const call: AtlasCall = {
      params,
      query: readQuery(url.searchParams),
      body: await readBody(request),
      idempotencyKey: typeof key === "string" ? key : undefined,
    };
    return await route.handle(call, context);
  } catch (error) {
    return describeError(error, context.closing);
  }
}

function describeError(error: unknown, closing: AbortSignal): AtlasAnswer {
  if (error instanceof AtlasError) {
    const { status, message, suggestions } = error;
    return {
      status,
      body: { error: { message, ...(suggestions.length === 0 ? {} : { suggestions }) } },
      ...(status === 429 ? { headers: { "retry-after": "2" } } : {}),
    };
  }
  if (closing.aborted) return { status: 503, body: { error: { message: "atlas is closing." } } };
  const text = errorText(error);
  return { status: 500, body: { error: { message: `atlas could not answer: ${text}` } } };
}

function send(response: ServerResponse, { status, body, headers }: AtlasAnswer): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" });
  response.end(BODILESS.has(status) ? undefined : JSON.stringify(body));
}

function getRoute(method: string, pathname: string): { route: AtlasRoute; params: Record<string, string> } {
  const onPath = atlasRoutes.flatMap((route) => {
    const params = matchPath(route.path, pathname);
    return params === undefined ? [] : [{ route, params }];
  });
  const found = onPath.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  if (onPath.length > 0) {
    const methods = onPath.map(({ route }) => route.method).join(", ");
    throw new AtlasError(405, `${pathname} is asked with ${methods}, not with ${method}.`);
  }
  throw new AtlasError(404, `atlas has nothing at ${pathname}.`);
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = pathname.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith("{")) params[segment.slice(1, -1)] = decodeSegment(value);
    else if (segment !== value) return undefined;
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new AtlasError(400, `The path segment "${segment}" is not URL-encoded as it should be.`);
  }
}

function readQuery(search: URLSearchParams): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return query;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new AtlasError(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new AtlasError(400, "The body is not JSON.");
  }
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
