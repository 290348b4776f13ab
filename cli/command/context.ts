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
  /** The words after `mkt`, as they can be typed again: standard input (`-`) in place of the pipe of `<(program)`. */
  readonly argv: readonly string[];
  readonly flags: GlobalFlags;
  readonly output: Output;
  /** The exit code when nothing is thrown. */
  exitCode: ExitCode;
  /** The whole program, for whatever lists all commands; undefined when no command line is being run. */
  readonly wholeProgram: (() => Promise<Command>) | undefined;

  /** Which service to use, and which credential. Rejects when flags, environment or files are invalid. */
  settings(): Promise<Settings>;
  /** Uses the service of these settings from now on, whatever flags and environment say. */
  useSettings(settings: Settings): void;
  /** The settings may have changed: they are read again when next needed. */
  forgetSettings(): void;
  /** Separate from the other settings: a wrong MKT_API_URL or a broken key file does not affect the folders. */
  readonly places: Places;

  /**
   * A client for the service in use. With `autostart` a local daemon that does not run is started first. Rejects when
   * no address is set and no local daemon runs. `manyRequests` keeps connections and remembers no names of answers: for
   * requests that may all be repeated.
   */
  client(options?: { autostart?: boolean; manyRequests?: boolean }): Promise<Client>;

  /** The command to suggest as the next one if the service answers with this status. */
  suggest(status: number, command: string): void;
  suggestionFor(status: number): string | undefined;
}
