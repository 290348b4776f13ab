import type { Line } from "../ledger/transaction/transaction.ts";

/** The log that several daemons write, as one of them sees it. */
export interface SharedLines {
  /**
   * Calls `listener` with every line that this daemon has settled from now on, its own and the others', in their order and
   * before the next `write` is asked: what it keeps of the lines is therefore exact in a `write`.
   */
  watchLines(listener: LineListener): void;
  /** Resolves when every line that any daemon had acknowledged before the call is settled here. */
  refresh(): Promise<void>;
}

/** `isOwn`: this daemon wrote the line. */
export type LineListener = (line: Line, isOwn: boolean) => void;
