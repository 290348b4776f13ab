import type { Command } from "commander";
import type { Client } from "../../shared/client/client.ts";
import type { Places } from "../../shared/places.ts";
import type { Settings } from "../connection/read-settings.ts";
import type { CliIo } from "../core/cli-io.ts";
import type { ExitCode } from "../core/exit-codes.ts";
import type { GlobalFlags } from "../flags/global-flags.ts";
import type { Output } from "../output/output.ts";

/** What a command works with. `cli/invocation.ts` makes it, one for each command line. */
export interface CliContext {
  readonly io: CliIo;
  /** The words after `mkt`, as typed. */
  readonly argv: readonly string[];
  readonly flags: GlobalFlags;
  readonly output: Output;
  /** What the command ends with when nothing is thrown. */
  exitCode: ExitCode;
  /** The whole command line, for what tells of all commands; undefined where nobody runs one. */
  readonly wholeProgram: (() => Promise<Command>) | undefined;

  /** Whom to speak to, and as whom. Rejects where flags, environment or files are wrong. */
  settings(): Promise<Settings>;
  /** Speaks to the service of these from now on, whatever flags and environment say. */
  useSettings(settings: Settings): void;
  /** They may have changed: the next who asks gets them as they are then. */
  forgetSettings(): void;
  /** Without the other settings: a wrong MKT_API_URL or a broken key file is nothing to the folders. */
  readonly places: Places;

  /**
   * A client for the service in use. With `autostart` a local daemon that does not run is started first. Rejects when no
   * address is set and no local daemon runs.
   */
  client(options?: { autostart?: boolean }): Promise<Client>;

  /** The command to name as the next one, should the service answer with this status. */
  suggest(status: number, command: string): void;
  suggestionFor(status: number): string | undefined;
}
