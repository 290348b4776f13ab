import { Option } from "commander";
import { Command } from "../command/command.ts";
import { countWords } from "../../shared/count-words.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { listRuns } from "./list-runs.ts";
import { type RunFilterFlags, toRunFilters, withRunFilters } from "./run-filter-flags.ts";

interface ExportFlags extends RunFilterFlags {
  format?: "csv" | "ndjson";
}

export function exportRunsCommand(context: CliContext): Command {
  return withRunFilters(new Command("export"))
    .description("Write all runs, newest first, as a table, as JSON lines, or with --json as one page")
    .addOption(
      new Option("--format <format>", "csv (default) or ndjson (default with --jsonl)").choices(["csv", "ndjson"]),
    )
    .examples("mkt runs export --since 7d -o runs.csv", "mkt runs export --format ndjson --status FAILED")
    .action(async ({ format, ...filters }: ExportFlags) => {
      // One JSON value is what --json promises of every command.
      if (context.flags.json && format === undefined) return listRuns(context, { all: true, ...filters });
      const client = await context.client();
      const query = { format: format ?? (context.flags.jsonl ? "ndjson" : "csv"), ...toRunFilters(filters) };
      const text = new CountedLines(await client.stream("exportRuns", { query }), query.format);
      await context.output.stream(text);
      if (text.damaged > 0) {
        context.exitCode = exitCodes.failed;
        await context.output.note(
          `${countWords(text.damaged, "run")} of ${text.damaged === 1 ? "it is" : "them are"} damaged where the service keeps them: ` +
            "what is left of each is in its place, marked as damaged. The operator's log names the files.",
        );
      }
      const namesOfColumns = query.format === "csv" ? 1 : 0;
      if (text.lines > namesOfColumns || context.output.lostItsReader) return;
      await (await import("./explain-no-runs.ts")).explainNoRuns(context, client, filters);
    });
}

/** A text as it comes, with the number of its lines up to there, and of the runs in it that are told as damaged. */
class CountedLines implements AsyncIterable<Uint8Array> {
  lines = 0;
  damaged = 0;
  readonly #pieces: AsyncIterable<Uint8Array>;
  readonly #isCsv: boolean;
  /** Of the line that is read: how it begins, or the end of it that was read last. */
  #kept = "";
  #isInQuotes = false;

  constructor(pieces: AsyncIterable<Uint8Array>, format: "csv" | "ndjson") {
    this.#pieces = pieces;
    this.#isCsv = format === "csv";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#pieces) {
      this.#count(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("latin1"));
      yield piece;
    }
  }

  #count(text: string): void {
    const lines = text.split("\n");
    for (const [index, line] of lines.entries()) {
      this.#take(line);
      if (index === lines.length - 1) return;
      this.lines += 1;
      this.#endLine();
    }
  }

  #take(part: string): void {
    if (!this.#isCsv) this.#kept += part.slice(0, Math.max(0, DAMAGED_LINE.length - this.#kept.length));
    else {
      // A quote in a cell is there twice, so that it is in quotes after an odd number of them.
      if (part.split('"').length % 2 === 0) this.#isInQuotes = !this.#isInQuotes;
      this.#kept = (this.#kept + part).slice(-DAMAGED_CELL.length);
    }
  }

  #endLine(): void {
    // A cell of a table may have a line break of its own, and any text before it.
    if (this.#isInQuotes) return;
    if (this.#kept === (this.#isCsv ? DAMAGED_CELL : DAMAGED_LINE)) this.damaged += 1;
    this.#kept = "";
  }
}

/** How a run that is damaged begins in JSON, and how its row ends in a table. */
const DAMAGED_LINE = '{"damaged":true,';
const DAMAGED_CELL = ",true\r";
