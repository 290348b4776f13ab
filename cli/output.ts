import { writeFile } from "node:fs/promises";
import type { ComponentType } from "react";
import type { CliIo } from "./cli-io.ts";
import { refusedInput } from "./cli-error.ts";
import { wantsColor } from "./color.ts";
import type { GlobalFlags } from "./global-flags.ts";
import { LineWriter } from "./line-writer.ts";
import { startProgress, type Progress } from "./progress.ts";
import { ownCommand } from "./own-command.ts";
import { sanitizeText, sanitizeValue, toSafeJson } from "./sanitize.ts";
import { writePrivateFile } from "./write-private-file.ts";
import { writeStreamedFile } from "./write-streamed-file.ts";
import { shellLine } from "./shell-line.ts";
import type { ViewProps } from "./views/view.ts";

/** Loads a screen; ink and react come in only when one is drawn. */
export type View<Value> = () => Promise<ComponentType<ViewProps<Value>>>;

/** As wide as a screen gets with `--full`; the terminal wraps what does not fit it. */
const fullColumns = 400;

/**
 * Where everything goes: data to stdout, all else to stderr. CLI rule 1.
 *
 * | stdout | `show` | `list` |
 * |---|---|---|
 * | `--json` | the answer as one JSON value | the same |
 * | a terminal | the screen | the screen |
 * | anything else | the answer as one line of JSON | its items, one line of JSON each |
 */
export class Output {
  readonly #io: CliIo;
  readonly #flags: GlobalFlags;
  readonly #stdout: LineWriter;
  readonly #stderr: LineWriter;

  constructor(io: CliIo, flags: GlobalFlags) {
    this.#io = io;
    this.#flags = flags;
    this.#stdout = new LineWriter(io.stdout);
    this.#stderr = new LineWriter(io.stderr);
  }

  /** Whether screens are drawn rather than JSON printed. */
  get drawsScreens(): boolean {
    return this.#io.isTty.stdout && this.#flags.json !== true;
  }

  /** Whether somebody reads along on stderr. */
  get isWatched(): boolean {
    return this.#io.isTty.stderr && this.#flags.quiet !== true;
  }

  /** Whether whoever read stdout has gone (`mkt … | head`): what is written now is dropped. */
  get lostItsReader(): boolean {
    return this.#stdout.closedByReader;
  }

  /**
   * Prints one answer. `file` is what `--output` writes when that is not the whole answer (undefined: nothing); a secret is
   * written so that its owner alone can read it.
   */
  async show<Value>(
    value: Value,
    view: View<Value>,
    file: { data: unknown; isSecret?: boolean } = { data: value },
  ): Promise<void> {
    if (this.#flags.output !== undefined && file.data !== undefined) {
      await this.#writeFile(this.#flags.output, file.data, file.isSecret === true);
    }
    if (this.drawsScreens) await this.#draw(value, view);
    else if (this.#flags.json || this.#flags.output === undefined) await this.#printJson(value);
  }

  /** Prints a page of items. */
  async list<Value>(page: Value, items: readonly unknown[], view: View<Value>): Promise<void> {
    if (this.#flags.json || this.#flags.output !== undefined || this.drawsScreens) return this.show(page, view);
    for (const item of items) await this.#stdout.write(`${toSafeJson(item)}\n`);
  }

  /** Text that is itself the data, such as a log. */
  async text(text: string): Promise<void> {
    await this.#stdout.write(sanitizeText(text));
  }

  /** Text that is itself the data and too long to be in memory: to the file of `--output`, else to stdout. */
  async stream(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { output } = this.#flags;
    if (output !== undefined) return this.note(`Wrote ${await writeStreamedFile(output, pieces)} bytes to ${output}`);
    const decoder = new TextDecoder();
    for await (const piece of pieces) {
      if (this.lostItsReader) return;
      const text = decoder.decode(piece, { stream: true });
      await this.#stdout.write(this.#io.isTty.stdout ? sanitizeText(text) : text);
    }
  }

  /** A line for people on stderr; nothing with `--quiet`. */
  async note(text: string): Promise<void> {
    if (this.#flags.quiet !== true) await this.#stderr.write(`${sanitizeText(text)}\n`);
  }

  /** A line to type, `mkt` and these words, for the daemon that this invocation speaks to. */
  command(...words: readonly string[]): string {
    return ownCommand(shellLine("mkt", ...words), this.#flags.dataDir);
  }

  /** What went wrong, also with `--quiet`. With `--json` one JSON object, the last line on stderr. */
  async error(failure: { code: number; message: string; next?: string | undefined }): Promise<void> {
    const { code, message } = failure;
    const next = failure.next === undefined ? undefined : ownCommand(failure.next, this.#flags.dataDir);
    if (this.#flags.json) {
      const line = toSafeJson({ code, message, ...(next !== undefined && { next }) });
      await this.#stderr.write(`${line}\n`);
      return;
    }
    const label = wantsColor(this.#flags, this.#io.env, this.#io.isTty.stderr) ? "\u001b[31merror\u001b[39m" : "error";
    await this.#stderr.write(`${label}: ${sanitizeText(message)}\n`);
    if (next !== undefined) await this.#stderr.write(`  next: ${sanitizeText(next)}\n`);
  }

  progress(text: string): Progress {
    return startProgress(this.#io, this.#flags.quiet === true, text);
  }

  async #draw<Value>(value: Value, view: View<Value>): Promise<void> {
    const [{ drawScreen }, component] = await Promise.all([import("./draw-screen.tsx"), view()]);
    const screen = drawScreen(
      component,
      {
        value: sanitizeValue(value),
        columns: this.#flags.full ? fullColumns : this.#io.columns,
        full: this.#flags.full === true,
      },
      {
        color: wantsColor(this.#flags, this.#io.env, this.#io.isTty.stdout),
        toOwnCommand: (command) => ownCommand(command, this.#flags.dataDir),
      },
    );
    await this.#stdout.write(`${screen}\n`);
  }

  async #printJson(value: unknown): Promise<void> {
    await this.#stdout.write(`${toSafeJson(value, this.#io.isTty.stdout ? 2 : undefined)}\n`);
  }

  async #writeFile(path: string, data: unknown, isSecret: boolean): Promise<void> {
    const text = `${JSON.stringify(data ?? null, null, 2)}\n`;
    try {
      await (isSecret ? writePrivateFile(path, text) : writeFile(path, text));
    } catch (cause) {
      throw refusedInput(`${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
    await this.note(`Wrote ${Buffer.byteLength(text)} bytes to ${path}`);
  }
}
