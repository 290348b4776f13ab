import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

export interface PrefixProxy extends AsyncDisposable {
  /** With the prefix and a slash at its end. */
  url: string;
  /** The paths that were asked for, as they came. */
  asked: string[];
}

/** A real reverse proxy: what is asked for below the prefix goes to the service without it, all else is 404. */
export async function startPrefixProxy(serviceUrl: string, prefix: string): Promise<PrefixProxy> {
  const asked: string[] = [];
  const { host, port } = new URL(serviceUrl);
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? "";
    asked.push(path);
    if (!path.startsWith(`${prefix}/`)) return void answer.writeHead(404).end("<h1>Not here</h1>");
    const options = {
      port,
      path: path.slice(prefix.length),
      method: incoming.method,
      headers: { ...incoming.headers, host },
    };
    const outgoing = httpRequest(options, (got) => got.pipe(answer.writeHead(got.statusCode ?? 502, got.headers)));
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}/`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
