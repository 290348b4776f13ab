import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One request that reached the fake provider. */
export interface FakeCall {
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  /** Names and values as they came, one after the other. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON, undefined when it is none. */
  // Tests look into bodies of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

/** What the fake provider does with a call; members may be combined as far as they make sense. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Buffer;
  readonly delayMs?: number;
  /** Waits for this before anything else. */
  readonly after?: Promise<unknown>;
  /** Sends the body and never ends it. */
  readonly unfinished?: true;
  /** Sends one byte so often, forever. */
  readonly dripEveryMs?: number;
  /** Promises more bytes than it sends, then drops the socket. */
  readonly truncated?: true;
  /** Drops the socket once the whole request was read. */
  readonly reset?: true;
  /** Reads the request and never answers. */
  readonly hang?: true;
}

export type FakeResponder = FakeAnswer | ((call: FakeCall) => FakeAnswer);

export interface FakeProvider extends AsyncDisposable {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Every request in the order of arrival. */
  readonly calls: readonly FakeCall[];
  /** Open connections right now. */
  readonly connections: () => number;
  /** Connections ever accepted, with or without a request on them. */
  readonly accepted: () => number;
  /**
   * Scripts the answers to `"GET /path"` (the query does not matter; `*` at the end matches any rest). Several answers are
   * given one after the other, the last one again and again. What nothing is scripted for is a 404. The newest rule wins.
   */
  on(route: string, ...answers: readonly FakeResponder[]): void;
  /** How often a route was called. */
  count(route: string): number;
  /** How many whole answers were handed to the system: a connection that closes afterwards takes none of them back. */
  readonly answered: () => number;
  close(): Promise<void>;
}

interface Rule {
  readonly route: string;
  readonly answers: readonly FakeResponder[];
  served: number;
}

/** A real HTTP server on a free port of loopback that does what a test tells it. */
export async function startFakeProvider({
  port: wantedPort = 0,
}: { readonly port?: number } = {}): Promise<FakeProvider> {
  const calls: FakeCall[] = [];
  const rules: Rule[] = [];
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let accepted = 0;
  let answered = 0;
  const server = createServer((request, response) => {
    response.on("finish", () => (answered += 1));
    void readBytes(request).then((bytes) => {
      const call = toCall(request, bytes);
      calls.push(call);
      const answer = nextAnswer(rules, call);
      const giveLater = () => {
        const timer = setTimeout(() => {
          timers.delete(timer);
          give(answer, response, timers);
        }, answer.delayMs ?? 0);
        timers.add(timer);
      };
      if (answer.after === undefined) giveLater();
      else void answer.after.then(giveLater);
    }, ignore);
  });
  server.on("connection", (socket) => {
    accepted++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const port = await listen(server, wantedPort);

  async function close(): Promise<void> {
    for (const timer of timers) clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    calls,
    connections: () => sockets.size,
    accepted: () => accepted,
    on: (route, ...answers) => void rules.unshift({ route, answers, served: 0 }),
    count: (route) => calls.filter((call) => isRoute(route, call)).length,
    answered: () => answered,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function toCall(request: IncomingMessage, bytes: Buffer): FakeCall {
  const text = bytes.toString();
  const { method = "", url = "", headers, rawHeaders } = request;
  const [path = "", query = ""] = url.split("?");
  return { method, url, path, query: new URLSearchParams(query), headers, rawHeaders, bytes, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRoute(route: string, call: FakeCall): boolean {
  const [method, path = ""] = route.split(" ");
  if (method !== call.method) return false;
  return path.endsWith("*") ? call.path.startsWith(path.slice(0, -1)) : call.path === path;
}

function nextAnswer(rules: readonly Rule[], call: FakeCall): FakeAnswer {
  const rule = rules.find(({ route }) => isRoute(route, call));
  if (rule === undefined) return { status: 404, json: { error: { message: `nothing at ${call.path}` } } };
  const responder = rule.answers[Math.min(rule.served++, rule.answers.length - 1)] ?? {};
  return typeof responder === "function" ? responder(call) : responder;
}

function give(answer: FakeAnswer, response: ServerResponse, timers: Set<NodeJS.Timeout>): void {
  if (answer.hang === true) return;
  if (answer.reset === true) {
    response.socket?.destroy();
    return;
  }
  const body = bodyOf(answer);
  const type = answer.json === undefined ? {} : { "content-type": "application/json" };
  const length = answer.truncated === true ? { "content-length": String(body.length + 1_000) } : {};
  response.writeHead(answer.status ?? 200, { ...type, ...length, ...answer.headers });
  if (answer.dripEveryMs !== undefined) {
    const timer = setInterval(() => response.write(" "), answer.dripEveryMs);
    timers.add(timer);
    response.on("close", () => clearInterval(timer));
  } else if (answer.truncated === true) {
    response.write(body, () => response.socket?.destroy());
  } else if (answer.unfinished === true) {
    response.write(body);
  } else {
    response.end(body);
  }
}

function bodyOf({ json, text, bytes }: FakeAnswer): Buffer {
  if (bytes !== undefined) return bytes;
  return Buffer.from(text ?? (json === undefined ? "" : JSON.stringify(json)));
}

function ignore(): void {}
