import type { CliContext } from "../command/context.ts";
import { CliError } from "../core/cli-error.ts";
import { daemonExitCodes } from "../core/exit-codes.ts";
import { accessToken } from "./http/access-token.ts";
import { type McpHttpServer, startMcpHttpServer } from "./http/http-server.ts";
import { createMcpServer } from "./mcp-server.ts";
import { ServiceLink } from "./service-link.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** Beside the daemon's two ports. */
export const DEFAULT_MCP_PORT = 7719;

export interface ServeHttpFlags {
  readonly port: number;
  readonly tokenFile?: string | undefined;
}

/**
 * Speaks MCP over streamable HTTP on loopback until Ctrl-C. What a program needs to connect is one line of JSON on stdout,
 * on a terminal a note; the token itself is only ever in its file.
 */
export async function serveHttp(context: CliContext, { port, tokenFile }: ServeHttpFlags): Promise<void> {
  const { io, output } = context;
  const { places } = await context.settings();
  const { token, path } = await accessToken(places.configDir, tokenFile);
  const link = new ServiceLink(context);
  const stopped = new Promise<void>((resolve) => io.onInterrupt(resolve));
  await using server = await listen(port, token, () => createMcpServer(link, { version: io.version }));
  if (output.drawsScreens) {
    await output.note(`MCP at ${server.url}, for requests with the bearer token in ${path}. Ctrl-C ends it.`);
  } else {
    await output.text(`${JSON.stringify({ event: "ready", url: server.url, tokenFile: path })}\n`);
  }
  await stopped;
}

async function listen(
  port: number,
  token: string,
  create: () => ReturnType<typeof createMcpServer>,
): Promise<McpHttpServer> {
  try {
    return await startMcpHttpServer({ port, token, createMcpServer: create });
  } catch (cause) {
    if (systemErrorCode(cause) !== "EADDRINUSE") throw cause;
    throw new CliError(daemonExitCodes.refusedConfiguration, `The port ${port} on 127.0.0.1 is taken.`, {
      next: "mkt mcp --http --port 0",
      cause,
    });
  }
}
