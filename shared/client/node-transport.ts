import * as http from "node:http";
import type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";

export interface NodeTransportOptions {
  /** Keep connections between requests; then the caller ends with `agent.destroy()`. Default: a connection a request. */
  agent?: http.Agent;
}

/**
 * Plain `node:http`, the quickest thing to load in a short process; `node:https` only for such a URL.
 * No timeout of its own, the signal decides; redirects are answers, never followed.
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  return async (request) => {
    const send = request.url.startsWith("https:") ? (await import("node:https")).request : http.request;
    return new Promise<TransportAnswer>((resolve, reject) => {
      exchange(send, request, options, resolve, reject);
    });
  };
}

function exchange(
  send: typeof http.request,
  request: TransportRequest,
  options: NodeTransportOptions,
  resolve: (answer: TransportAnswer) => void,
  reject: (reason: unknown) => void,
): void {
  const fail = (error: unknown) => reject(request.signal?.aborted ? request.signal.reason : error);
  const outgoing = send(
    request.url,
    {
      method: request.method,
      headers: withLength(request),
      agent: options.agent ?? false,
      ...(request.signal ? { signal: request.signal } : {}),
    },
    (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", fail);
      incoming.on("end", () => {
        if (!incoming.complete) return fail(new Error("the connection was cut before the answer was complete"));
        resolve({
          status: incoming.statusCode ?? 0,
          headers: readHeaders(incoming.headers),
          body: Buffer.concat(chunks).toString("utf8"),
        });
      });
    },
  );
  outgoing.on("error", fail);
  outgoing.end(request.body);
}

function withLength(request: TransportRequest): Record<string, string> {
  return request.body === undefined
    ? request.headers
    : { ...request.headers, "content-length": String(Buffer.byteLength(request.body)) };
}

function readHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) read[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return read;
}
