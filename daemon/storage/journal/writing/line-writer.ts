import type { Line, Transaction } from "../../../ledger/transaction/transaction.ts";
import type { StoreState } from "../../store-state.ts";
import type { DiskRoom } from "../disk/disk-room.ts";
import type { Journal } from "./journal.ts";
import type { LargeInputs } from "./large-inputs.ts";
import type { LineBody } from "../segments/line-codec.ts";
import { type KeptOutput, LargeOutput, type Outputs, type PreparedLine } from "./outputs.ts";

export interface LineWriterParts {
  readonly state: StoreState;
  readonly journal: Journal;
  readonly room: DiskRoom;
  readonly outputs: Outputs;
  readonly inputs: LargeInputs;
}

/**
 * What stays in memory is copied, as its caller may change its own: what was written is read again, which is what a start would
 * find, and takes half the time of `structuredClone`. The record of a run is shared: whoever has one makes another from it and
 * changes none (`test/runs/records-are-shared.test.ts`), and a run under way is in memory once.
 */
function copyOf({ json }: LineBody): Line {
  return JSON.parse(json) as Line;
}

/** Takes lines and appends them, in one step each. What a line needs beside the journal is on the disk before it is taken. */
export class LineWriter {
  readonly #parts: LineWriterParts;

  constructor(parts: LineWriterParts) {
    this.#parts = parts;
  }

  async commit(transaction: Transaction): Promise<void> {
    let prepared: PreparedLine;
    try {
      prepared = this.#take(transaction);
    } catch (error) {
      if (!(error instanceof LargeOutput)) throw error;
      // If it is refused now, a file without a line is left for the sweep: another line may be about to refer to it.
      prepared = this.#take(transaction, await this.#parts.outputs.keep(error));
    }
    const { line, body } = prepared;
    const isShared = line.t === "run.done" || line.t === "run.accepted";
    await this.#parts.journal.append(isShared ? line : copyOf(body), body);
    if (line.t === "run.done" && line.out !== undefined) this.#parts.outputs.noteNamed(line.out);
  }

  /** Throws before accepting anything, also if the line cannot be encoded. */
  #take(transaction: Transaction, kept?: KeptOutput): PreparedLine {
    const { state, journal, room, outputs, inputs } = this.#parts;
    journal.checkOpen();
    const taken: PreparedLine[] = [];
    state.take(transaction, (line: Line) => {
      room.checkRoomFor(line);
      taken.push(outputs.prepare(line, (one) => inputs.bodyOf(one), kept));
    });
    const [prepared] = taken;
    if (prepared === undefined) throw new Error("a line was taken that was not prepared");
    return prepared;
  }
}
