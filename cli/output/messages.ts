import type { CliIo } from "../core/cli-io.ts";
import { wantsColor } from "../terminal/color.ts";
import type { GlobalFlags } from "../flags/global-flags.ts";
import { LineWriter } from "./line-writer.ts";
import { ownCommand } from "./own-command.ts";
import { sanitizeText, toSafeJson } from "../terminal/sanitize.ts";
import type { PaletteColor } from "../screen/palette.ts";
import { terminalLook } from "../terminal/terminal-look.ts";
import type { ToldError } from "../core/told-error.ts";

/** The first words of a line, and the colour that they have where there are colours. */
export interface ColoredWords {
  readonly words: string;
  readonly color: PaletteColor | undefined;
}

/**
 * What is said beside the data: everything that goes to stderr, line by line.
 * docs/command-line.md, "Data and messages".
 */
export class Messages {
  readonly #io: CliIo;
  readonly #flags: GlobalFlags;
  readonly #stderr: LineWriter;
  #hasToldError = false;

  constructor(io: CliIo, flags: GlobalFlags) {
    this.#io = io;
    this.#flags = flags;
    this.#stderr = new LineWriter(io.stderr);
  }

  /** Whether an error was printed; with `--json` nothing may come after it. */
  get hasToldError(): boolean {
    return this.#hasToldError;
  }

  /** A line for people, which may begin with words in a colour; nothing with `--quiet`. */
  async note(text: string, colored?: ColoredWords): Promise<void> {
    if (this.#flags.quiet === true) return;
    const line = await this.#readable(text);
    const words = colored?.words ?? "";
    const isSpoken = terminalLook(this.#io.env).linear;
    const paints = words !== "" && line.startsWith(words) && this.#wantsColor && !isSpoken;
    await this.#stderr.write(`${paints ? paint(words, colored?.color) + line.slice(words.length) : line}\n`);
  }

  /** A line that `--debug` asked for, also with `--quiet`. */
  async debug(text: string): Promise<void> {
    await this.#stderr.write(`${sanitizeText(text)}\n`);
  }

  /** What went wrong, also with `--quiet`. With `--json` one JSON object, the last line. */
  async error({ code, errorCode, runId, status, message, next: named }: ToldError): Promise<void> {
    this.#hasToldError = true;
    const next = named === undefined ? undefined : ownCommand(named, this.#flags);
    if (this.#flags.json) {
      // JSON leaves out what is undefined.
      const line = toSafeJson({ code, errorCode, message, runId, status, next });
      await this.#stderr.write(`${line}\n`);
      return;
    }
    const label = this.#wantsColor ? "\u001b[31merror\u001b[39m" : "error";
    await this.#stderr.write(`${label}: ${await this.#readable(message)}\n`);
    if (next !== undefined) await this.#stderr.write(`  next: ${await this.#readable(next)}\n`);
  }

  get #wantsColor(): boolean {
    return wantsColor(this.#flags, this.#io.env, this.#io.isTty.stderr);
  }

  async #readable(text: string): Promise<string> {
    const harmless = sanitizeText(text);
    if (!this.#io.isTty.stderr || terminalLook(this.#io.env).unicode) return harmless;
    return (await import("../terminal/to-ascii.ts")).toAscii(harmless);
  }
}

/** `color` as ink spells it. */
function paint(words: string, color: PaletteColor | undefined): string {
  const index = /\((\d+)\)/.exec(color ?? "")?.[1];
  return index === undefined ? words : `\u001b[38;5;${index}m${words}\u001b[39m`;
}
