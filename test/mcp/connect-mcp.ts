import { PassThrough } from "node:stream";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { readFileSync } from "node:fs";
import { runCli } from "../../cli/main.ts";
import { tempDir } from "../support/temp-dir.ts";
import { TextSink } from "../support/run-cli.ts";

/** A client of `mkt mcp`, and the process that it speaks to, which here is this one. */
export interface ConnectedMcp extends AsyncDisposable {
  readonly client: Client;
  readonly stderr: () => string;
  /** Everything that the server wrote to stdout. */
  readonly stdout: () => string;
}

export interface McpSurroundings {
  /** Environment beside folders of its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Words after `mkt mcp`. */
  readonly words?: readonly string[];
}

/** `mkt mcp` with streams of its own, and the SDK's client at their other ends. */
export async function connectOverStdio({ env = {}, words = [] }: McpSurroundings): Promise<ConnectedMcp> {
  const folder = tempDir();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new TextSink()];
  const written = new TextSink();
  stdout.pipe(written);
  const exited = runCli(["mcp", ...words], ioOf(folder.path, env, { stdin, stdout, stderr }));
  const client = aClient();
  await client.connect(new StreamTransport(stdout, stdin));
  return {
    client,
    stderr: () => stderr.text,
    stdout: () => written.text,
    async [Symbol.asyncDispose]() {
      await client.close();
      stdin.end();
      const code = await exited;
      folder[Symbol.dispose]();
      if (code !== 0) throw new Error(`mkt mcp ended with ${code}: ${stderr.text}`);
    },
  };
}

/** `mkt mcp --http` on a free port, and the SDK's client with its token. */
export async function connectOverHttp(surroundings: McpSurroundings): Promise<ConnectedMcp & StartedHttp> {
  const server = await startOverHttp(surroundings);
  const client = aClient();
  await client.connect(httpTransport(server));
  return {
    ...server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

export interface StartedHttp {
  readonly url: string;
  readonly token: string;
  readonly tokenFile: string;
}

export type HttpServer = StartedHttp & Omit<ConnectedMcp, "client">;

/** `mkt mcp --http` on a free port, without a client. */
export async function startOverHttp({ env = {}, words = [] }: McpSurroundings): Promise<HttpServer> {
  const folder = tempDir();
  const [stdin, stdout, stderr] = [new PassThrough(), new TextSink(), new TextSink()];
  let interrupt = () => {};
  const exited = runCli(["mcp", "--http", "--port", "0", ...words], {
    ...ioOf(folder.path, env, { stdin, stdout, stderr }),
    onInterrupt(listener) {
      interrupt = listener;
      return () => {};
    },
  });
  const ready = await readyLine(stdout, exited, stderr);
  return {
    url: ready.url,
    tokenFile: ready.tokenFile,
    token: readFileSync(ready.tokenFile, "utf8").trim(),
    stderr: () => stderr.text,
    stdout: () => stdout.text,
    async [Symbol.asyncDispose]() {
      interrupt();
      await exited;
      folder[Symbol.dispose]();
    },
  };
}

/** The SDK's client side of streamable HTTP. */
export function httpTransport({ url, token }: StartedHttp, send: typeof fetch = fetch): Transport {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: send,
  });
  return transport as Transport;
}

export function aClient(): Client {
  return new Client({ name: "test", version: "1.0.0" });
}

function ioOf(
  folder: string,
  env: Readonly<Record<string, string>>,
  streams: { stdin: PassThrough; stdout: PassThrough | TextSink; stderr: TextSink },
) {
  return {
    version: "0.1.0",
    env: {
      MKT_DATA_DIR: join(folder, "data"),
      MKT_CONFIG_DIR: join(folder, "config"),
      MKT_NO_AUTOSTART: "1",
      ...env,
    },
    ...streams,
    isTty: { stdin: false, stdout: false, stderr: false },
    columns: 80,
    selfCommand: ["node", "/opt/mkt/mkt.js"],
    onInterrupt: () => () => {},
  };
}

async function readyLine(
  stdout: TextSink,
  exited: Promise<number>,
  stderr: TextSink,
): Promise<{ url: string; tokenFile: string }> {
  let code: number | undefined;
  void exited.then((ended) => (code = ended));
  while (!stdout.text.includes("\n")) {
    if (code !== undefined) throw new Error(`mkt mcp --http ended with ${code}: ${stderr.text}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return JSON.parse(stdout.text.split("\n", 1)[0] ?? "");
}

/** The client's end of a pair of streams, as it is over the stdin and stdout of a process. */
class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #buffer = new ReadBuffer();

  constructor(
    readonly from: PassThrough,
    readonly to: PassThrough,
  ) {}

  async start(): Promise<void> {
    this.from.on("data", (chunk: Buffer) => {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage()) {
        this.onmessage?.(message);
      }
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.to.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
