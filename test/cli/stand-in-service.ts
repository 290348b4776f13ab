import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface StandInRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface StandInAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent instead of the body as JSON. */
  text?: string;
}

type Handler = (
  request: StandInRequest,
  response: ServerResponse,
) => StandInAnswer | Promise<StandInAnswer | undefined>;
export type StandInRoutes = Readonly<Record<string, StandInAnswer | Handler>>;

export interface StandIn {
  url: string;
  /** Everything asked so far, in order. */
  requests: StandInRequest[];
  /** What the CLI needs to talk to it. */
  env: Record<string, string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A real HTTP server that answers `"METHOD /path"` as told; a handler that returns undefined never answers. */
export async function startStandIn(routes: StandInRoutes): Promise<StandIn> {
  const requests: StandInRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", async () => {
      const url = new URL(incoming.url ?? "/", "http://stand-in");
      const text = Buffer.concat(chunks).toString("utf8");
      const request: StandInRequest = {
        method: incoming.method ?? "",
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: incoming.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
      requests.push(request);
      const route = routes[`${request.method} ${request.path}`] ?? notFound;
      const answer = typeof route === "function" ? await route(request, response) : route;
      if (answer) send(response, answer);
    });
  });
  const url = await listen(server);
  return {
    url,
    requests,
    env: { MKT_API_URL: url, MKT_API_KEY: "mkt_test_key" },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const notFound: StandInAnswer = { status: 404, body: { code: 404, message: "Not found" } };

function send(response: ServerResponse, { status = 200, headers = {}, body, text }: StandInAnswer): void {
  response.writeHead(status, { "content-type": "application/json", "x-request-id": "req-1", ...headers });
  response.end(text ?? (body === undefined ? undefined : JSON.stringify(body)));
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

const price = { type: "PER_CALL", amount: 0.001, currency: "USD" };

function micros(value: number) {
  return { value, unit: "MICRO_DOLLAR", currency: "USD" };
}

/** A run as the service answers it, completed with data unless told otherwise. */
export function aRun(members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    runId: "01RUN",
    provider: "atlas",
    endpoint: "/sun",
    status: "COMPLETED",
    output: { sunrise: "06:12" },
    providerResponse: { httpStatus: 200 },
    price,
    billing: { calculatedCost: micros(1000), actualCost: micros(0), reportedCost: micros(1000) },
    cost: { value: 0.001, currency: "USD" },
    resultCount: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    completedAt: "2026-01-01T00:00:01.500Z",
    ...members,
  };
}

/** A run that has been accepted and goes on. */
export function anAcceptedRun(members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    runId: "01RUN",
    provider: "atlas",
    endpoint: "/reports/time-zones",
    status: "RUNNING",
    price,
    createdAt: "2026-01-01T00:00:00.000Z",
    ...members,
  };
}

/** What inspect answers for the endpoint of these tests. */
export const sunEndpoint = {
  provider: "atlas",
  providerName: "Atlas",
  endpoint: "/sun",
  description: "Sunrise and sunset for any place and day.",
  method: "GET",
  price: { type: "PER_CALL", amount: { value: 0.001, currency: "USD" } },
  docUrl: "https://example.org/sun",
  tags: ["sun"],
  categories: ["astronomy/daylight"],
  input: {
    queryParams: {
      type: "object",
      required: ["latitude", "longitude"],
      properties: {
        latitude: { type: "number", description: "Degrees north" },
        longitude: { type: "number", description: "Degrees east" },
        date: { type: "string" },
      },
    },
  },
  examples: [{ name: "Lisbon", input: { queryParams: { latitude: 38.7, longitude: -9.1, date: "2026-06-21" } } }],
};
