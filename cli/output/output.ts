import type { TransportAnswer } from "../../shared/client/transport.ts";
import { readBinaryOutput } from "../../shared/binary-output.ts";
import { usageError } from "../core/cli-error.ts";
import type { CliIo } from "../core/cli-io.ts";
import { DataSink } from "./data-sink.ts";
import type { GlobalFlags } from "../flags/global-flags.ts";
import { type ColoredWords, Messages } from "./messages.ts";
import { drawValue } from "./draw-value.ts";
import { OutputForm } from "./output-form.ts";
import { ownCommand } from "./own-command.ts";
import { startProgress, type Progress } from "./progress.ts";
import { Projection } from "../projection/projection.ts";
import { sanitizeText, toSafeJson } from "../terminal/sanitize.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import type { ToldError } from "../core/told-error.ts";
import type { View } from "../screen/view.ts";

/** An output of this many bytes is expensive for an agent to read. */
const longBytes = 50_000;

/** All pages of a list. */
export interface PagesOfItems<Value> {
  readonly pages: AsyncIterable<readonly unknown[]>;
  /** All of it as one page; reads the pages to their end. */
  readonly whole: () => Promise<{ page: Value; items: readonly unknown[] }>;
}

/**
 * Where everything goes: data to stdout, all else to stderr. docs/command-line.md, "Data and messages".
 *
 * | stdout | `show` | `list` |
 * |---|---|---|
 * | `--json` | the answer as one JSON value | the same |
 * | `--jsonl` | the answer as one line of JSON | its items, one line of JSON each |
 * | `--jq` | what it makes of the answer | the same; with `--jsonl` of each item |
 * | a terminal | the screen | the screen |
 * | anything else, and `--fields` | the answer as one line of JSON | its items, one line of JSON each |
 *
 * `--fields` is for the answer, of a list for each of its items. `-o` takes what would be printed to a file; without
 * `--fields`, `--jq` and `--jsonl` that is the answer, or what the command calls its data, indented.
 */
export class Output {
  readonly #io: CliIo;
  readonly #flags: GlobalFlags;
  readonly #form: OutputForm;
  readonly #messages: Messages;
  readonly #data: DataSink;
  readonly #projection: Projection;

  constructor(io: CliIo, flags: GlobalFlags) {
    this.#io = io;
    this.#flags = flags;
    this.#messages = new Messages(io, flags);
    const note = (text: string) => this.note(text);
    this.#projection = new Projection(flags, note);
    this.#form = new OutputForm(io, flags, this.#projection);
    this.#data = new DataSink(io, this.#form.file, note);
  }

  /** Whether screens are drawn rather than JSON printed. */
  get drawsScreens(): boolean {
    return this.#form.drawsScreens;
  }

  /** Whether somebody reads along on stderr. */
  get isWatched(): boolean {
    return this.#form.isWatched;
  }

  /** Whether whoever read stdout has gone (`mkt … | head`): what is written now is dropped. */
  get lostItsReader(): boolean {
    return this.#data.lostItsReader;
  }

  /** Rejects if the flags cannot be satisfied, before anything is requested or paid. */
  async check(): Promise<void> {
    if (this.#flags.json && this.#flags.jsonl) throw usageError("--json and --jsonl exclude each other.");
    await this.#projection.check();
    await this.#data.check();
  }

  /**
   * Prints one answer. `file` is what `--output` writes when that is not the whole answer (undefined: nothing); a
   * secret is written so that its owner alone can read it. Bytes are written as bytes.
   */
  async show<Value>(
    value: Value,
    view: View<Value>,
    file: { data: unknown; isSecret?: boolean } = { data: value },
  ): Promise<void> {
    if (this.#projection.isAsked) return this.#write(await this.#linesOf([value]), file.isSecret);
    const bytes = readBinaryOutput(file.data);
    if (bytes !== undefined && this.#form.file !== undefined) {
      await this.#data.writeBytes(Buffer.from(bytes.base64, "base64"));
    } else if (this.#form.file !== undefined) {
      if (file.data !== undefined) await this.#data.writeFile(`${JSON.stringify(file.data, null, 2)}\n`, file.isSecret);
      else if (this.#data.isFileUnwritten) await this.#data.noteUnwritten();
    }
    if (this.drawsScreens) await this.#draw(value, view);
    else if (this.#flags.json || this.#form.file === undefined) await this.#printJson(value);
  }

  /** Prints a page of items. */
  async list<Value>(page: Value, items: readonly unknown[], view: View<Value>): Promise<void> {
    if (this.#form.printsLines) return this.#write(await this.#linesOf(items));
    const selected = replaceItems(page, items, await this.#projection.select(items)) as Value;
    if (this.#projection.hasExpression) return this.#writePage(await this.#toLines([selected]), page, items);
    if (this.#form.file !== undefined) await this.#data.writeFile(`${JSON.stringify(selected, null, 2)}\n`);
    if (this.drawsScreens) await this.#draw(selected, view);
    else if (this.#flags.json) await this.#printJson(selected);
  }

  /** Prints all pages of a list: line by line as they come, or as one page with all items. */
  async listAll<Value>({ pages, whole }: PagesOfItems<Value>, view: View<Value>): Promise<void> {
    if (this.#form.printsLines) return this.#data.stream(this.#textOf(pages));
    const { page, items } = await whole();
    return this.list(page, items, view);
  }

  /** What people read as a text, and programs as a value: JSON where a flag asks for it. */
  async report(value: unknown, text: string): Promise<void> {
    if (this.#form.printsValues) await this.#write(await this.#linesOf([value]));
    else await this.text(text);
  }

  /** Text that is itself the data, such as a log. */
  async text(text: string): Promise<void> {
    this.#refuseProjection();
    await this.#data.write(sanitizeText(text));
  }

  /** Text that is itself the data and too long to be in memory. */
  async stream(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#projection.isAsked) await abandon(pieces);
    this.#refuseProjection();
    await this.#data.stream(pieces);
  }

  /** An answer of the service as it came: JSON as one value, for people indented; everything else as text. */
  async raw({ headers, body }: Pick<TransportAnswer, "headers" | "body">): Promise<void> {
    if (!/^application\/json\b/.test(headers["content-type"] ?? "")) return this.stream(body);
    const text = await readText(body);
    const isChanged = this.#projection.isAsked || this.#flags.jsonl;
    if (isChanged) await this.#write(await this.#linesOf([JSON.parse(text)]));
    else if (this.#io.isTty.stdout && this.#form.file === undefined) await this.#printJson(JSON.parse(text));
    else await this.#data.write(`${text.trimEnd()}\n`);
  }

  /** The command writes the file of `-o` itself, and says what is in it. */
  leaveFile(): void {
    this.#data.leaveFile();
  }

  /** Says what was done where the service has nothing to answer: with `--json` that is the value null. */
  async done(text: string): Promise<void> {
    if (this.#flags.json) await this.#printJson(null);
    await this.note(text);
  }

  /** Says what is to be said when all is printed; nothing after an error, which is the last line. */
  async end(): Promise<void> {
    if (this.#messages.hasToldError) return;
    if (this.#data.isFileUnwritten) await this.#data.noteUnwritten();
    const { printedBytes } = this.#data;
    if (this.#form.isAgent && printedBytes > longBytes) {
      await this.note(
        `That was ${printedBytes} bytes. For less: --fields a,b.c, --jq <expression>, --limit <n>, or -o <file>`,
      );
    }
  }

  /** A line for people on stderr, which may begin with words in a colour; nothing with `--quiet`. */
  note(text: string, colored?: ColoredWords): Promise<void> {
    return this.#messages.note(text, colored);
  }

  /** A line that `--debug` asked for, also with `--quiet`. */
  debug(text: string): Promise<void> {
    return this.#messages.debug(text);
  }

  /** What went wrong, also with `--quiet`. With `--json` one JSON object, the last line on stderr. */
  error(failure: ToldError): Promise<void> {
    return this.#messages.error(failure);
  }

  /** A line to type, `mkt` and these words, for the daemon that this invocation speaks to. */
  command(...words: readonly string[]): string {
    return ownCommand(shellLine("mkt", ...words), this.#flags);
  }

  progress(text: string): Progress {
    return startProgress(this.#io, this.#flags.quiet === true || this.#form.isAgent, text);
  }

  async #draw<Value>(value: Value, view: View<Value>): Promise<void> {
    const screen = await drawValue(value, view, { io: this.#io, flags: this.#flags });
    if (screen !== "") await this.#data.print(`${screen}\n`);
  }

  async #linesOf(values: readonly unknown[]): Promise<string[]> {
    return this.#toLines(await this.#projection.select(values));
  }

  #toLines(values: readonly unknown[]): Promise<string[]> {
    return this.#projection.toLines(values, (value) => toSafeJson(value, this.#form.valueIndent));
  }

  async *#textOf(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<Uint8Array> {
    for await (const items of pages) yield Buffer.from(asText(await this.#linesOf(items)));
  }

  async #printJson(value: unknown): Promise<void> {
    await this.#data.print(`${toSafeJson(value, this.#form.answerIndent)}\n`);
  }

  /** What an expression made of a page; one for items finds nothing in it, and would not say so. */
  async #writePage(lines: readonly string[], page: unknown, items: readonly unknown[]): Promise<void> {
    await this.#write(lines);
    if (lines.length === 0 || lines.some((line) => line !== "null")) return;
    const name = Object.entries(page ?? {}).find(([, member]) => member === items)?.[0] ?? "items";
    await this.note(
      `The result is only null: --jq gets the whole answer, whose list is .${name}. With --jsonl it gets each item.`,
    );
  }

  #write(lines: readonly string[], isSecret?: boolean): Promise<void> {
    return this.#data.write(asText(lines), isSecret);
  }

  #refuseProjection(): void {
    if (!this.#projection.isAsked) return;
    throw usageError("This command prints text: --fields and --jq are for JSON.");
  }
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Closes a stream that nobody will read; otherwise its connection would keep the process alive. */
async function abandon(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces) break;
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

/** The page with its items replaced by `others`, whatever their member is called. */
function replaceItems(page: unknown, items: readonly unknown[], others: readonly unknown[]): unknown {
  if (items === others || typeof page !== "object" || page === null) return page;
  return Object.fromEntries(Object.entries(page).map(([name, member]) => [name, member === items ? others : member]));
}
