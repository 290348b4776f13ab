import * as http from "node:http";
import { CUT_SHORT, readHeaders, type Transport, type TransportRequest } from "./transport.ts";

export interface NodeTransportOptions {
  /**
   * Keeps connections between requests: for many requests that may all be repeated, since the service may close a
   * connection while a request is on its way. They do not keep the process alive. Default: a new connection for each
   * request.
   */
  keepAlive?: boolean;
}

/**
 * Plain `node:http`, which loads fastest in a short process; `node:https` only for such a URL. It has no timeout of its
 * own; the signal decides.
 */
export function nodeTransport({ keepAlive = false }: NodeTransportOptions = {}): Transport {
  const agents = new Map<string, http.Agent>();
  const agentOf = (url: string, protocol: typeof http) => {
    if (!keepAlive) return false;
    const name = url.startsWith("https:") ? "https" : "http";
    const agent = agents.get(name) ?? new protocol.Agent({ keepAlive: true });
    agents.set(name, agent);
    return agent;
  };
  return async (request) => {
    const protocol = request.url.startsWith("https:") ? await import("node:https") : http;
    const incoming = await exchange(protocol.request, request, agentOf(request.url, protocol as typeof http));
    // The reader of the body gets the error; without a listener it would end the process before there is a reader.
    incoming.on("error", () => {});
    return {
      status: incoming.statusCode ?? 0,
      headers: readHeaders(incoming.headers),
      body: wholeBody(incoming, request.signal),
    };
  };
}

function exchange(
  send: typeof http.request,
  request: TransportRequest,
  agent: http.Agent | false,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = send(
      request.url,
      {
        method: request.method,
        headers: withLength(request),
        agent,
        ...(request.signal ? { signal: request.signal } : {}),
      },
      resolve,
    );
    outgoing.on("error", (error) => reject(request.signal?.aborted ? request.signal.reason : error));
    outgoing.end(request.body);
  });
}

async function* wholeBody(incoming: http.IncomingMessage, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk as Buffer;
  } catch (cause) {
    throw signal?.aborted ? signal.reason : new Error(CUT_SHORT, { cause });
  }
  if (!incoming.complete) throw new Error(CUT_SHORT);
}

function withLength(request: TransportRequest): Record<string, string> {
  return request.body === undefined
    ? request.headers
    : { ...request.headers, "content-length": String(Buffer.byteLength(request.body)) };
}
