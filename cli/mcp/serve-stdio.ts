import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CliContext } from "../command/context.ts";
import { createMcpServer } from "./mcp-server.ts";
import { ServiceLink } from "./service-link.ts";

/**
 * Speaks MCP over stdin and stdout until the client closes them, or Ctrl-C. Nothing else is written to stdout; what goes
 * wrong with the protocol is said on stderr.
 */
export async function serveStdio(context: CliContext): Promise<void> {
  const { io } = context;
  const server = createMcpServer(new ServiceLink(context), { version: io.version });
  // eslint-disable-next-line prefer-add-event-listener -- the SDK has no other way
  server.onerror = (error) => void context.output.note(`mcp: ${error.message}`);
  const closed = new Promise<void>((resolve) => {
    // eslint-disable-next-line prefer-add-event-listener -- the SDK has no other way
    server.onclose = resolve;
  });
  const close = () => void server.close();
  const release = io.onInterrupt(close);
  io.stdin.once("end", close).once("close", close);
  // A client that has gone does not always close both.
  io.stdout.once("error", close).once("close", close);
  if (io.isTty.stdin) {
    await context.output.note(
      `This speaks MCP to the client that started it; a person installs it there with: ${context.output.command("mcp", "install", "--list")}. Ctrl-C ends it.`,
    );
  }
  try {
    await server.connect(new StdioServerTransport(io.stdin, io.stdout));
    await closed;
  } finally {
    release();
    io.stdin.off("end", close).off("close", close);
    io.stdout.off("error", close).off("close", close);
  }
}
