import type { Output } from "../../output/output.ts";
import type { RowResult } from "../row-result.ts";
import { DoneRows, type Results } from "./results.ts";

/** Results as lines of JSON on stdout. What was printed by an interrupted batch is printed again: it costs nothing. */
export function stdoutResults(output: Output): Results {
  return {
    done: new DoneRows(),
    get lostItsReader() {
      return output.lostItsReader;
    },
    write: (result) => output.text(`${JSON.stringify(result)}\n`),
    close: () => Promise.resolve(),
  };
}

/** Results that are kept, to be printed as one value. */
export class CollectedResults implements Results {
  readonly done = new DoneRows();
  readonly lostItsReader = false;
  readonly items: RowResult[] = [];

  write(result: RowResult): Promise<void> {
    this.items.push(result);
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
