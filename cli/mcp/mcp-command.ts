import { InvalidArgumentError } from "commander";
import { Command } from "../command/command.ts";
import { usageError } from "../core/cli-error.ts";
import { parseFilled } from "../flags/option-values.ts";
import type { CliContext } from "../command/context.ts";
import { installCommand } from "./install/install-command.ts";

interface McpFlags {
  http?: true;
  port?: number;
  tokenFile?: string;
}

/** The entry point for agents that speak MCP. */
export function mcpCommand(context: CliContext): Command {
  return new Command("mcp")
    .description("Serve the marketplace to agents as MCP tools, over stdio or over HTTP on this machine")
    .option("--http", "streamable HTTP on 127.0.0.1, instead of stdin and stdout")
    .option("--port <n>", "port of --http, 0 for a free one (default: 7719)", parsePort)
    .option(
      "--token-file <file>",
      "the bearer token that --http asks for is in this file, which is made if need be",
      parseFilled,
    )
    .examples("mkt mcp install --list", "mkt mcp install claude-code --dry-run")
    .addCommand(installCommand(context))
    .action(async ({ http, port, tokenFile }: McpFlags) => {
      if (http) {
        const { serveHttp, DEFAULT_MCP_PORT } = await import("./serve-http.ts");
        return await serveHttp(context, { port: port ?? DEFAULT_MCP_PORT, tokenFile });
      }
      if (port !== undefined || tokenFile !== undefined) {
        throw usageError("--port and --token-file are for --http.", "mkt mcp --http");
      }
      await (await import("./serve-stdio.ts")).serveStdio(context);
    });
}

function parsePort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new InvalidArgumentError("It must be a port, from 0 to 65535.");
}
