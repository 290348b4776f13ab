import { createServer, request as ask, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy before a daemon, as a network that fails would be. */
export interface StreamProxy extends AsyncDisposable {
  readonly url: string;
  /** `Last-Event-ID` of each stream of events that was asked for. */
  readonly positions: readonly (string | undefined)[];
  /** Cuts the streams that are open. */
  cut(): void;
  /** Nothing comes any more through the streams that are open; their connections stay. */
  silence(): void;
  /** The next stream is asked for from a position that no service knows. */
  forget(): void;
}

/** Passes requests on under the daemon's own name and origin. */
export async function startStreamProxy(target: string): Promise<StreamProxy> {
  const { host, hostname, port } = new URL(target);
  const positions: (string | undefined)[] = [];
  const streams = new Set<ServerResponse>();
  const silent = new Set<ServerResponse>();
  let isForgetful = false;
  const server = createServer((incoming, outgoing) => {
    const headers: Record<string, string | string[] | undefined> = { ...incoming.headers, host };
    if (headers["origin"] !== undefined) headers["origin"] = `http://${host}`;
    const isStream = incoming.url?.startsWith("/v1/events") === true;
    if (isStream) {
      positions.push(incoming.headers["last-event-id"] as string | undefined);
      if (isForgetful) headers["last-event-id"] = "of-another-service";
      isForgetful = false;
      streams.add(outgoing);
    }
    const behind = ask({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on("data", (bytes: Buffer) => !silent.has(outgoing) && outgoing.write(bytes));
      answer.on("end", () => !silent.has(outgoing) && outgoing.end());
      answer.on("error", () => outgoing.destroy());
    });
    behind.on("error", () => outgoing.destroy());
    outgoing.on("close", () => {
      streams.delete(outgoing);
      behind.destroy();
    });
    incoming.pipe(behind);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    positions,
    cut() {
      for (const stream of streams) stream.destroy();
    },
    silence() {
      for (const stream of streams) silent.add(stream);
    },
    forget() {
      isForgetful = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
