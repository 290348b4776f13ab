import { join } from "node:path";
import type { Line } from "../../ledger/transaction/transaction.ts";
import type { Files } from "../../storage/files.ts";
import { withInput } from "../../storage/journal/writing/large-inputs.ts";
import { knownLine } from "../../storage/journal/segments/line-shape.ts";
import { Outputs as OutputFiles } from "../../storage/journal/writing/outputs.ts";
import { readJournal } from "../../storage/journal/segments/recovery.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { Outputs as OutputRows } from "../../storage/postgres/outputs.ts";

/** Lines that are read from a database at once; each may have an output. */
const PAGE = 500;

/** Every line in its order, with the inputs and outputs that a store keeps apart. */
export type WholeLines = AsyncIterable<Line>;

type RunDone = Extract<Line, { t: "run.done" }>;

/** Of a folder that nobody writes to. Rejects with `JournalCorrupt`. */
export async function* linesOfFolder(files: Files, dataDir: string): WholeLines {
  const outputs = await OutputFiles.open(files, dataDir, undefined);
  const accepted = new Map<string, Extract<Line, { t: "run.accepted" }>>();
  const handOver = new HandOver<Line[]>();
  let lines: Line[] = [];
  const reading = readJournal(files, join(dataDir, "log"), {
    onLine: ({ content }) => void lines.push(knownLine(content)),
    async onSegment() {
      const segment = lines;
      lines = [];
      await handOver.give(segment);
    },
  }).then(
    async () => {
      await handOver.give(lines);
      handOver.end();
    },
    (error: unknown) => handOver.end(error),
  );
  try {
    for (let segment = await handOver.take(); segment !== undefined; segment = await handOver.take()) {
      for (const line of segment) {
        if (line.t === "run.accepted") accepted.set(line.run, line);
        if (line.t !== "run.done") {
          yield line;
          continue;
        }
        const first = accepted.get(line.run);
        accepted.delete(line.run);
        const complete = line.from === undefined || first === undefined ? line : withInput(line, first);
        yield complete.out === undefined ? complete : withOutput(complete, await outputs.read(complete.out));
      }
    }
    await reading;
  } finally {
    await outputs.close();
  }
}

/** One segment at a time is in memory: the next one is read when this one was taken. */
class HandOver<Item> {
  #item: { readonly value: Item; readonly taken: () => void } | undefined;
  #end: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  async give(value: Item): Promise<void> {
    await new Promise<void>((taken) => {
      this.#item = { value, taken };
      this.#wake();
    });
  }

  end(error?: unknown): void {
    this.#end = { error };
    this.#wake();
  }

  /** Undefined: there are no more. Rejects with the error that reading ended with. */
  async take(): Promise<Item | undefined> {
    while (this.#item === undefined && this.#end === undefined) await new Promise<void>((wake) => (this.#wake = wake));
    const item = this.#item;
    this.#item = undefined;
    item?.taken();
    if (item === undefined && this.#end?.error !== undefined) throw this.#end.error;
    return item?.value;
  }
}

/** Of a database that nobody writes to. */
export async function* linesOfDatabase(database: Database): WholeLines {
  const outputs = new OutputRows(database);
  await outputs.readRemovals();
  let after = 0;
  for (;;) {
    const rows = await database.query<{ n: number; month: number; body: string }>(
      `select n, month, body from lines where n > $1 order by n limit ${PAGE}`,
      [after],
    );
    for (const { n, month, body } of rows) {
      const line = outputs.placed(knownLine(JSON.parse(body)), { month, n });
      yield line.t === "run.done" && line.out !== undefined ? withOutput(line, await outputs.read(line.out)) : line;
      after = n;
    }
    if (rows.length < PAGE) return;
  }
}

function withOutput({ out: _apart, ...line }: RunDone, output: unknown): Line {
  return { ...line, rec: { ...line.rec, output } } as RunDone;
}
