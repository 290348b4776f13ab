import { createClient, type Client, type ClientOptions } from "../../shared/client/client.ts";
import { environmentTransport } from "../../shared/client/environment-transport.ts";
import { timeLimitedTransport } from "../../shared/client/time-limited-transport.ts";
import { CliError } from "../core/cli-error.ts";
import type { CliIo } from "../core/cli-io.ts";
import type { Settings } from "./read-settings.ts";
import { exitCodes } from "../core/exit-codes.ts";
import type { Transport } from "../../shared/client/transport.ts";

/**
 * A client for the service in use, over the proxy that the environment names for it. Throws a CliError when no address
 * is set and no local daemon runs.
 */
export async function createServiceClient(
  { baseUrl, key, workspace, places }: Settings,
  io: Pick<CliIo, "env" | "version">,
  {
    trace,
    keepAlive = false,
    ...options
  }: Pick<ClientOptions, "clientKind" | "onHeaders" | "onAnswer"> & {
    /** Called with one line for each request. */
    trace?: ((line: string) => Promise<void>) | undefined;
    /** For many requests that may all be repeated. */
    keepAlive?: boolean;
  } = {},
): Promise<Client> {
  if (baseUrl === undefined) {
    throw new CliError(exitCodes.unreachable, `No daemon is running for the data folder ${places.dataDir}.`, {
      next: "mkt daemon start",
    });
  }
  const transport = timeLimitedTransport(environmentTransport(io.env, { keepAlive }));
  return createClient({
    baseUrl: baseUrl.value,
    key: key?.value,
    workspaceId: workspace?.value,
    clientKind: "cli",
    userAgent: `mkt/${io.version}`,
    transport: trace === undefined ? transport : tracedTransport(transport, trace),
    ...options,
  });
}

/**
 * Reports each request when its answer begins, as `POST http://…/v1/run: 200 (request 01J…) in 12 ms`. Headers and
 * bodies are left out: keys and secrets are in them.
 */
function tracedTransport(transport: Transport, tell: (line: string) => Promise<void>): Transport {
  return async (request) => {
    const startedAt = performance.now();
    const told = (outcome: string) =>
      tell(`${request.method} ${request.url}: ${outcome} in ${Math.round(performance.now() - startedAt)} ms`);
    try {
      const answer = await transport(request);
      const requestId = answer.headers["x-request-id"];
      await told(`${answer.status}${requestId === undefined ? "" : ` (request ${requestId})`}`);
      return answer;
    } catch (error) {
      await told("no answer");
      throw error;
    }
  };
}
