import { setFlagsFromString } from "node:v8";

/** What V8 does as it is, in a command that ends with it or before. */
const usual = "--no-optimize-for-size";
const sparing = "--optimize-for-size";

/**
 * While this works, memory is collected rather than asked for: a batch makes much that lives shortly, for which V8 would
 * take as much again, and its process waits for the service anyhow. docs/performance.md, "Batches".
 */
export async function withLessMemory(work: () => Promise<void>): Promise<void> {
  setFlagsFromString(sparing);
  try {
    await work();
  } finally {
    setFlagsFromString(usual);
  }
}
