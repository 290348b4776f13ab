import type { Client } from "../shared/client/client.ts";
import { autostartDaemon } from "./autostart.ts";
import { CliError } from "./cli-error.ts";
import type { CliIo } from "./cli-io.ts";
import { readSettings, type Settings } from "./config.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import type { GlobalFlags } from "./global-flags.ts";
import { Output } from "./output.ts";
import { shellLine } from "./shell-line.ts";

/** What one invocation works with: its flags, its output, and a client that knows whom it speaks to and as whom. */
export class CliContext {
  readonly io: CliIo;
  /** The words after `mkt`, as typed. */
  readonly argv: readonly string[];
  /** What the command ends with when nothing is thrown. */
  exitCode: ExitCode = exitCodes.delivered;

  #flags: GlobalFlags = { color: true, input: true };
  #output: Output;
  #settings: Promise<Settings> | undefined;
  readonly #nextSteps = new Map<number, string>();

  constructor(io: CliIo, argv: readonly string[]) {
    this.io = io;
    this.argv = argv;
    // An error in the flags themselves is already to be told in the form they ask for.
    if (argv.includes("--json")) this.#flags.json = true;
    this.#output = new Output(io, this.#flags);
  }

  get flags(): GlobalFlags {
    return this.#flags;
  }

  get output(): Output {
    return this.#output;
  }

  /** Takes the flags as commander read them, before a command begins. */
  begin(flags: GlobalFlags): void {
    this.#flags = flags;
    this.#output = new Output(this.io, flags);
  }

  settings(): Promise<Settings> {
    this.#settings ??= readSettings(this.#flags, this.io.env);
    return this.#settings;
  }

  /**
   * A client for the service in use. With `autostart` a local daemon that does not run is started first.
   * Rejects when no address is set and no local daemon runs.
   */
  async client(options: { autostart?: boolean } = {}): Promise<Client> {
    if (options.autostart && (await autostartDaemon(await this.settings(), this.io, this.output))) {
      this.#settings = undefined;
    }
    const { baseUrl, key, workspace, places } = await this.settings();
    if (baseUrl === undefined) {
      throw new CliError(exitCodes.unreachable, `No daemon runs for the data folder ${places.dataDir}.`, {
        next: "mkt daemon start",
      });
    }
    const { createClient } = await import("../shared/client/client.ts");
    return createClient({
      baseUrl: baseUrl.value,
      key: key?.value,
      workspaceId: workspace?.value,
      clientKind: "cli",
      userAgent: `mkt/${this.io.version}`,
    });
  }

  /** The command to name as the next one, should the service answer with this status. */
  suggest(status: number, command: string): void {
    this.#nextSteps.set(status, command);
  }

  suggestionFor(status: number): string | undefined {
    return this.#nextSteps.get(status);
  }

  /** Says on stderr which command gives the next page; with `--json` the cursor is in the answer. CLI rule 11. */
  async noteNextPage(cursor: string | null | undefined): Promise<void> {
    if (cursor == null || this.#flags.json) return;
    const words = [...this.argv];
    const at = words.findIndex((word) => word === "--cursor" || word.startsWith("--cursor="));
    if (at >= 0) words.splice(at, words[at] === "--cursor" ? 2 : 1);
    await this.output.note(`More: ${shellLine("mkt", ...words, "--cursor", cursor)}`);
  }
}
