import { serveStdio as serveProtocol, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { CliContext } from "../command/context.ts";
import { createMcpServer } from "./mcp-server.ts";
import { ServiceLink } from "./service-link.ts";

/**
 * Speaks MCP over stdin and stdout until the client closes them, or Ctrl-C. The client's first message decides which era of
 * the protocol. Nothing else is written to stdout; what goes wrong with the protocol is said on stderr.
 */
export async function serveStdio(context: CliContext): Promise<void> {
  const { io } = context;
  const link = new ServiceLink(context);
  if (io.isTty.stdin) {
    await context.output.note(
      `This speaks MCP to the client that started it; a person installs it there with: ${context.output.command("mcp", "install", "--list")}. Ctrl-C ends it.`,
    );
  }
  const transport = new ClosingTransport(io.stdin, io.stdout);
  const served = serveProtocol(() => createMcpServer(link, { version: io.version }), {
    transport,
    onerror: (error) => void context.output.note(`mcp: ${error.message}`),
  });
  const close = () => void served.close();
  const release = io.onInterrupt(close);
  io.stdin.once("end", close).once("close", close);
  // A client that has gone does not always close both.
  io.stdout.once("error", close).once("close", close);
  try {
    await transport.closed;
  } finally {
    release();
    io.stdin.off("end", close).off("close", close);
    io.stdout.off("error", close).off("close", close);
  }
}

/** Tells when it is closed, also by itself, as it is after a message that is too long. */
class ClosingTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  #resolve = () => {};

  constructor(...streams: ConstructorParameters<typeof StdioServerTransport>) {
    super(...streams);
    this.closed = new Promise((resolve) => (this.#resolve = resolve));
  }

  override async close(): Promise<void> {
    await super.close();
    this.#resolve();
  }
}
