import type { Command } from "commander";
import type { Client } from "../shared/client/client.ts";
import { findPlaces, type Places } from "../shared/places.ts";
import { autostartDaemon } from "./local-daemon/autostart.ts";
import type { CliContext } from "./command/context.ts";
import type { CliIo } from "./core/cli-io.ts";
import { rememberNames } from "./completion/remember-names.ts";
import { readSettings, type Settings } from "./connection/read-settings.ts";
import { exitCodes, type ExitCode } from "./core/exit-codes.ts";
import type { GlobalFlags } from "./flags/global-flags.ts";
import { Output } from "./output/output.ts";
import { ownCommand } from "./output/own-command.ts";
import { createServiceClient } from "./connection/service-client.ts";
import { versionNote } from "./connection/version-note.ts";

/** What a shell makes of `<(program)`: it is gone when the command ends. */
const PIPE_OF_THE_SHELL = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

/** One running command line: its flags, its output, and a client with its service and credential. */
export class Invocation implements CliContext {
  readonly io: CliIo;
  readonly argv: readonly string[];
  exitCode: ExitCode = exitCodes.delivered;
  wholeProgram: (() => Promise<Command>) | undefined;

  #flags: GlobalFlags = { color: true, input: true };
  #output: Output;
  #settings: Promise<Settings> | undefined;
  #versionIsNoted = false;
  readonly #unfinished: Promise<void>[] = [];
  readonly #nextSteps = new Map<number, string>();

  constructor(io: CliIo, argv: readonly string[]) {
    this.io = io;
    this.argv = argv.map((word) => (PIPE_OF_THE_SHELL.test(word) ? "-" : word));
    // Even an error in the flags is reported in the form that they ask for.
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

  useSettings(settings: Settings): void {
    this.#settings = Promise.resolve(settings);
  }

  forgetSettings(): void {
    this.#settings = undefined;
  }

  get places(): Places {
    const { dataDir } = this.#flags;
    return findPlaces({ ...this.io.env, ...(dataDir !== undefined && { MKT_DATA_DIR: dataDir }) });
  }

  async client(options: { autostart?: boolean; manyRequests?: boolean } = {}): Promise<Client> {
    if (options.autostart && (await autostartDaemon(await this.settings(), this.io, this.output))) {
      this.forgetSettings();
    }
    const settings = await this.settings();
    this.#noteOverruledProfile(settings);
    return await createServiceClient(settings, this.io, {
      onHeaders: (headers) => this.#noteVersion(settings, headers["x-mkt-version"]),
      ...(options.manyRequests
        ? { keepAlive: true }
        : { onAnswer: (answer) => this.#afterwards(rememberNames(settings, answer)) }),
      ...(this.#flags.debug && { trace: (line: string) => this.output.debug(line) }),
    });
  }

  /**
   * A flag normally overrides a variable, but here the variable's address is used.
   * docs/command-line.md, "Address, key and workspace".
   */
  #noteOverruledProfile({ profile, baseUrl }: Settings): void {
    if (profile.from !== "--profile" || baseUrl?.from !== "MKT_API_URL") return;
    const note = `MKT_API_URL is set, and overrides the address of the profile ${profile.name}: the request goes to ${baseUrl.value}.`;
    this.#afterwards(this.output.note(note));
  }

  /** Once, and only if a person reads stderr: a program would get the same note on every call. */
  #noteVersion({ baseUrl }: Settings, version: string | undefined): void {
    if (this.#versionIsNoted || !this.output.isWatched || this.#flags.json || baseUrl === undefined) return;
    this.#versionIsNoted = true;
    const note = versionNote(this.io.version, version, baseUrl);
    if (note !== undefined)
      this.#afterwards(this.output.note(`${note.differ} To update: ${ownCommand(note.mend, this.#flags)}`));
  }

  /** Work that the command does not wait for, and that must not make it fail. */
  #afterwards(work: Promise<void>): void {
    this.#unfinished.push(work.catch(() => {}));
  }

  /** Resolves when all work of this invocation has ended. */
  async end(): Promise<void> {
    await Promise.all(this.#unfinished);
  }

  suggest(status: number, command: string): void {
    this.#nextSteps.set(status, command);
  }

  suggestionFor(status: number): string | undefined {
    return this.#nextSteps.get(status);
  }
}
