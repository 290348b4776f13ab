import * as http from "node:http";
import { CUT_SHORT, readHeaders, type Transport, type TransportRequest } from "./transport.ts";

export interface NodeTransportOptions {
  /**
   * Keeps connections between requests; the caller must call `agent.destroy()` at the end. Default: a new connection
   * for each request.
   */
  agent?: http.Agent;
}

/**
 * Plain `node:http`, which loads fastest in a short process; `node:https` only for such a URL. It has no timeout of its
 * own; the signal decides.
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  return async (request) => {
    const send = request.url.startsWith("https:") ? (await import("node:https")).request : http.request;
    const incoming = await exchange(send, request, options);
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
  options: NodeTransportOptions,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = send(
      request.url,
      {
        method: request.method,
        headers: withLength(request),
        agent: options.agent ?? false,
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
