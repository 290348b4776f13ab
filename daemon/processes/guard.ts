import { Worker } from "node:worker_threads";
import { LAST_WORDS, TOO_MUCH_MEMORY } from "./reader-descriptors.ts";

/** In this time a document cannot fill the memory between the limit and the size of a small machine. */
const LOOK_EVERY_MS = 25;

/**
 * A thread, because the reader itself handles no events while it reads. It ends the process soon after its parent has gone, for
 * whatever reason, and when the process has more memory than its first argument allows, in bytes: V8's limit covers only
 * the heap. The second argument is the parent's process id: it may have gone before anybody here could look.
 */
export function startGuard(): void {
  const [most, parent] = process.argv.slice(2).map(Number);
  new Worker(guardText, { eval: true, workerData: { most, parent } }).unref();
}

const guardText = `
const { writeSync } = require("node:fs");
const { most, parent } = require("node:worker_threads").workerData;
const end = () => process.kill(process.pid, "SIGKILL");
const isAlone = () => {
  if (process.ppid !== parent) return true;
  try {
    return !process.kill(parent, 0);
  } catch (error) {
    return error.code === "ESRCH";
  }
};
setInterval(() => {
  if (isAlone()) end();
  if (process.memoryUsage.rss() <= most) return;
  try {
    writeSync(${LAST_WORDS}, "${TOO_MUCH_MEMORY}");
  } finally {
    end();
  }
}, ${LOOK_EVERY_MS});
`;
