import type { Client } from "../../shared/client/client.ts";
import { autostartDaemon } from "../local-daemon/autostart.ts";
import { readSettings, type Settings } from "../connection/read-settings.ts";
import type { CliContext } from "../command/context.ts";
import { describeFailure, type Failure } from "../failure/failure.ts";
import { createServiceClient } from "../connection/service-client.ts";

/**
 * The connection to the service for a server that runs for days: settings are read for every call, so that a restarted
 * local daemon and a changed profile are noticed. A local daemon that does not run is started, as by the CLI.
 */
export class ServiceLink {
  readonly #context: CliContext;
  #starting: Promise<unknown> = Promise.resolve();

  constructor(context: CliContext) {
    this.#context = context;
  }

  /** Rejects when no daemon runs and none may be started. */
  async client(workspaceId?: string): Promise<Client> {
    await this.#startDaemon();
    const { io, flags, output } = this.#context;
    return await createServiceClient(await this.#settings(workspaceId), io, {
      clientKind: "mcp",
      ...(flags.debug && { trace: (line: string) => output.note(line) }),
    });
  }

  /** Anything thrown, in words; its `next` is a command for a person at a terminal. */
  async describe(thrown: unknown): Promise<Failure> {
    const { io, flags, output } = this.#context;
    const settings = () => this.#settings();
    return await describeFailure(thrown, { io, flags, output, settings, suggestionFor: () => undefined });
  }

  /** One call at a time: two calls must not start two daemons. */
  async #startDaemon(): Promise<void> {
    const start = this.#starting.then(async () => {
      await autostartDaemon(await this.#settings(), this.#context.io, this.#context.output);
    });
    this.#starting = start.catch(() => {});
    await start;
  }

  async #settings(workspaceId?: string): Promise<Settings> {
    const { io, flags } = this.#context;
    return await readSettings({ ...flags, ...(workspaceId !== undefined && { workspace: workspaceId }) }, io.env);
  }
}
