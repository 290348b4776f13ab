import { Option } from "commander";
import { Command } from "../help/command.ts";
import type { CliContext } from "../context.ts";
import { listRuns } from "./list-runs.ts";
import { type RunFilterFlags, toRunFilters, withRunFilters } from "../flags/run-filter-flags.ts";

interface ExportFlags extends RunFilterFlags {
  format?: "csv" | "ndjson";
}

export function exportRunsCommand(context: CliContext): Command {
  return withRunFilters(new Command("export"))
    .description("Write all runs, newest first, as a table, as a JSON value a line, or with --json as one page")
    .addOption(
      new Option("--format <format>", "csv (what is taken without it), or ndjson (so with --jsonl)").choices([
        "csv",
        "ndjson",
      ]),
    )
    .examples("mkt runs export --since 7d -o runs.csv", "mkt runs export --format ndjson --status FAILED")
    .action(async ({ format, ...filters }: ExportFlags) => {
      // One JSON value is what --json promises of every command.
      if (context.flags.json && format === undefined) return listRuns(context, { all: true, ...filters });
      const client = await context.client();
      const query = { format: format ?? (context.flags.jsonl ? "ndjson" : "csv"), ...toRunFilters(filters) };
      const text = new CountedLines(await client.stream("exportRuns", { query }));
      await context.output.stream(text);
      const namesOfColumns = query.format === "csv" ? 1 : 0;
      if (text.lines > namesOfColumns || context.output.lostItsReader) return;
      await (await import("../help/explain-no-runs.ts")).explainNoRuns(context, client, filters);
    });
}

/** A text as it comes, with the number of its lines up to there. */
class CountedLines implements AsyncIterable<Uint8Array> {
  lines = 0;
  readonly #pieces: AsyncIterable<Uint8Array>;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#pieces) {
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) this.lines += 1;
      yield piece;
    }
  }
}

const LINE_FEED = 10;
