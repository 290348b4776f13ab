import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { CliError } from "../core/cli-error.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { Interrupted, interruptible } from "../core/interrupt.ts";

const chunkBytes = 64 * 1024;
const lookEveryMs = 250;

/** Prints a log file to stdout, whole or its last lines; with `follow` also what is added, until Ctrl-C. */
export async function followLog(
  context: CliContext,
  path: string,
  { follow, lines }: { follow?: true; lines?: number },
): Promise<void> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw new CliError(
      exitCodes.notFound,
      `There is no log at ${path}: no daemon has been started in the background.`,
      {
        next: "mkt daemon start",
        cause,
      },
    );
  });
  try {
    const printer = new LinePrinter(context);
    let position = lines === undefined ? 0 : await startOfLastLines(file, lines);
    position = await printFrom(file, position, printer);
    if (!follow) return await printer.end();
    await interruptible(context.io, async (signal) => {
      while (!context.output.lostItsReader) {
        await delay(lookEveryMs, undefined, { signal }).catch(() => {
          throw signal.reason;
        });
        const { size } = await file.stat();
        position = await printFrom(file, size < position ? 0 : position, printer);
      }
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    context.exitCode = exitCodes.interrupted;
  } finally {
    await file.close();
  }
}

type File = Awaited<ReturnType<typeof open>>;

async function printFrom(file: File, start: number, printer: LinePrinter): Promise<number> {
  const chunk = Buffer.alloc(chunkBytes);
  let position = start;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return position;
    position += bytesRead;
    await printer.add(chunk.subarray(0, bytesRead));
  }
}

async function startOfLastLines(file: File, lines: number): Promise<number> {
  const chunk = Buffer.alloc(chunkBytes);
  let position = (await file.stat()).size;
  // The newline that ends the last line starts none.
  let wanted = lines + 1;
  while (position > 0) {
    const start = Math.max(0, position - chunkBytes);
    const { bytesRead } = await file.read(chunk, 0, position - start, start);
    for (let index = bytesRead - 1; index >= 0; index--) {
      if (chunk[index] === newline && --wanted === 0) return start + index + 1;
    }
    position = start;
  }
  return 0;
}

const newline = 0x0a;

/** Hands on whole lines only, so that an escape sequence cut in two by a chunk is still seen as one. */
class LinePrinter {
  readonly #context: CliContext;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  constructor(context: CliContext) {
    this.#context = context;
  }

  async add(chunk: Buffer): Promise<void> {
    const text = this.#rest + this.#decoder.write(chunk);
    const end = text.lastIndexOf("\n") + 1;
    this.#rest = text.slice(end);
    if (end > 0) await this.#context.output.text(text.slice(0, end));
  }

  async end(): Promise<void> {
    if (this.#rest !== "") await this.#context.output.text(`${this.#rest}\n`);
  }
}
