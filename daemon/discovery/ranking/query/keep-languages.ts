import { readLanguagesInSteps } from "../../../text/languages/lexicon.ts";
import { runInTurns } from "../../index/indexer.ts";

/** The tables of the languages that queries are translated from. */
export interface KeptLanguages {
  /** Resolves when they have been read: in the background of other work, once. Never rejects. */
  ready(): Promise<void>;
  /** Stops the reading. */
  close(): void;
}

/** Reading them at once would hold up everything else for some tenths of a second. */
export function keepLanguages(): KeptLanguages {
  const closing = new AbortController();
  let reading: Promise<void> | undefined;
  return {
    async ready() {
      // Where it is stopped, or fails, the first query reads them.
      reading ??= runInTurns(readLanguagesInSteps(), closing.signal).catch(() => {});
      await reading;
    },
    close: () => closing.abort(),
  };
}
