export { isWeakWord } from "../../../daemon/text/stop-words.ts";

/** In place of the daemon's: every word counts. */
export const STOP_WORDS: ReadonlySet<string> = new Set();
