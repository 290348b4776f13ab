import { randomUUID } from "node:crypto";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** The most clients at once; each has its own server in memory. */
export const MAX_SESSIONS = 100;

/** A client that is silent for this long counts as gone. */
const IDLE_MS = 60 * 60 * 1000;

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  lastSeenAt: number;
}

/**
 * The clients of the HTTP server, each with a server of its own, until it ends its session or is silent for an hour.
 */
export class Sessions {
  readonly #open = new Map<string, Session>();
  readonly #createServer: () => Server;
  readonly #timer: NodeJS.Timeout;

  constructor(createServer: () => Server) {
    this.#createServer = createServer;
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MS / 10);
    this.#timer.unref();
  }

  get isFull(): boolean {
    return this.#open.size >= MAX_SESSIONS;
  }

  /** The session's transport; undefined for one that is not, or no longer, there. */
  find(id: string): StreamableHTTPServerTransport | undefined {
    const session = this.#open.get(id);
    if (session === undefined) return undefined;
    session.lastSeenAt = Date.now();
    return session.transport;
  }

  /** A transport for a client that has no session yet; what is no `initialize` it refuses by itself. */
  async begin(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#open.set(id, { transport, lastSeenAt: Date.now() }),
      onsessionclosed: (id) => void this.#open.delete(id),
    });
    const server = this.#createServer();
    // eslint-disable-next-line prefer-add-event-listener -- the SDK has no other way
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId);
    };
    // The SDK's own types differ in what may be undefined.
    await server.connect(transport as Parameters<Server["connect"]>[0]);
    return transport;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#open.values()].map(({ transport }) => transport.close()));
  }

  #closeIdle(): void {
    const before = Date.now() - IDLE_MS;
    for (const { transport, lastSeenAt } of this.#open.values()) if (lastSeenAt < before) void transport.close();
  }
}
