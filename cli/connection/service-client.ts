import { createClient, type Client, type ClientOptions } from "../../shared/client/client.ts";
import { environmentTransport } from "../../shared/client/environment-transport.ts";
import { timeLimitedTransport } from "../../shared/client/time-limited-transport.ts";
import { CliError } from "../core/cli-error.ts";
import type { CliIo } from "../core/cli-io.ts";
import type { Settings } from "./read-settings.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { tracedTransport } from "./traced-transport.ts";

/**
 * A client for the service in use, over the proxy that the environment names for it. Throws a CliError when no address is
 * set and no local daemon runs.
 */
export async function createServiceClient(
  { baseUrl, key, workspace, places }: Settings,
  io: Pick<CliIo, "env" | "version">,
  {
    trace,
    ...options
  }: Pick<ClientOptions, "clientKind" | "onHeaders" | "onAnswer"> & {
    /** Told a line for each request. */
    trace?: ((line: string) => Promise<void>) | undefined;
  } = {},
): Promise<Client> {
  if (baseUrl === undefined) {
    throw new CliError(exitCodes.unreachable, `No daemon runs for the data folder ${places.dataDir}.`, {
      next: "mkt daemon start",
    });
  }
  const transport = timeLimitedTransport(environmentTransport(io.env));
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
