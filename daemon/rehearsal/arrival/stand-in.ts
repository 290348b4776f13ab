import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request that reached the stand-in. */
export interface Arrival {
  /** The real origin of the provider, such as `https://api.example.com`. */
  readonly origin: string;
  readonly method: string;
  /** Path and query as they arrived; the origin has no meaning. */
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** The response of the stand-in. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

export type AnswerArrival = (arrival: Arrival) => WireAnswer | Promise<WireAnswer>;

/** Real HTTP servers on loopback, one for each origin of a provider, that replace it. */
export interface StandIn extends AsyncDisposable {
  /** Real origin → the address of its stand-in, `http://127.0.0.1:port`. */
  readonly places: ReadonlyMap<string, string>;
}

/** `answer` is called for every request, in the order of arrival; when it throws, the connection is dropped. */
export async function startStandIn(origins: Iterable<string>, answer: AnswerArrival): Promise<StandIn> {
  const servers: Server[] = [];
  const places = new Map<string, string>();
  for (const origin of new Set(origins)) {
    const server = createServer((request, response) => {
      receive(origin, request)
        .then(answer)
        .then((given) => send(response, given))
        .catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    places.set(origin, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  return {
    places,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(close));
    },
  };
}

async function receive(origin: string, request: IncomingMessage): Promise<Arrival> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
  return {
    origin,
    method: request.method ?? "",
    url: new URL(`http://stand-in${request.url ?? "/"}`),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(chunks),
  };
}

function send(response: ServerResponse, { status, headers, bytes }: WireAnswer): void {
  response.writeHead(status, headers);
  response.end(bytes);
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
