import { Worker } from "node:worker_threads";
import { LIFELINE, TOO_MUCH_MEMORY } from "./reader-descriptors.ts";

/** In this time a document cannot fill the memory between the limit and the size of a small machine. */
const LOOK_EVERY_MS = 25;

/**
 * A thread, because the reader itself handles no events while it reads. It ends the process at once when its parent has
 * gone, for whatever reason, and when the process has more memory than its first argument allows, in bytes: V8's limit
 * covers only the heap.
 */
export function startGuard(): void {
  new Worker(guardText, { eval: true, workerData: Number(process.argv[2]) }).unref();
}

const guardText = `
const { writeSync } = require("node:fs");
const { Socket } = require("node:net");
const { workerData: most } = require("node:worker_threads");
const end = () => process.kill(process.pid, "SIGKILL");
new Socket({ fd: ${LIFELINE} }).on("error", end).on("close", end).resume();
setInterval(() => {
  if (process.memoryUsage.rss() <= most) return;
  try {
    writeSync(${LIFELINE}, "${TOO_MUCH_MEMORY}");
  } finally {
    end();
  }
}, ${LOOK_EVERY_MS});
`;
