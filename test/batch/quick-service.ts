import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ulid } from "ulid";
import type { MktHome } from "../support/mkt-home.ts";
import { openBatchMarket } from "./batch-market.ts";

/** A service that runs rows at once. */
export interface QuickService extends AsyncDisposable {
  readonly home: MktHome;
  /** Of a command that asks it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  path(name: string): string;
  /** How many runs were asked for, the same again counted once. */
  readonly sent: () => number;
}

/**
 * Stands before a daemon and hands it every request but those for runs. These it answers by itself, with what the daemon
 * answered the first of them and ids of their own: the daemon's time would be most of what a batch takes.
 */
export async function startQuickService(): Promise<QuickService> {
  const market = await openBatchMarket();
  const keys = new Set<string>();
  let first: Promise<ArrivedAnswer> | undefined;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bytesOf(request);
    if (request.method !== "POST" || request.url !== "/v1/run") {
      return send(response, await pass(market.daemon.url, request, body));
    }
    keys.add(String(request.headers["idempotency-key"]));
    first ??= pass(market.daemon.url, request, body);
    const { status, type, text } = await first;
    const { runId } = JSON.parse(text) as { runId: string };
    send(response, { status, type, text: text.replaceAll(runId, ulid()) });
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    home: market.home,
    environment: { MKT_API_URL: url, MKT_API_KEY: market.daemon.key },
    write: market.write,
    path: market.path,
    sent: () => keys.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await market[Symbol.asyncDispose]();
    },
  };
}

interface ArrivedAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function pass(
  to: string,
  { method = "", url = "", headers }: IncomingMessage,
  body: Buffer,
): Promise<ArrivedAnswer> {
  const { authorization = "", "content-type": type = "application/json" } = headers;
  const answer = await fetch(`${to}${url}`, {
    method,
    headers: { authorization, ...(body.length > 0 && { "content-type": type }) },
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  });
  return { status: answer.status, type: answer.headers.get("content-type") ?? "", text: await answer.text() };
}

function send(response: ServerResponse, { status, type, text }: ArrivedAnswer): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
