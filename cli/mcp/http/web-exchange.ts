import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";

/**
 * Node's request as a web request, with this address as its own. Its signal aborts when the caller goes before it has its
 * answer.
 */
export function toWebRequest(request: IncomingMessage, response: ServerResponse, url: string): Request {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, one);
  }
  const hasBody = request.method === "POST";
  return new Request(url, {
    method: request.method ?? "GET",
    headers,
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" }),
  });
}

/** Writes a web response to Node's, as it comes; stops when the caller has gone. */
export async function sendWebResponse(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) return void response.end();
  const reader = answer.body.getReader();
  response.once("close", () => void reader.cancel().catch(() => {}));
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (response.destroyed) return;
    if (!response.write(next.value)) await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end();
}
