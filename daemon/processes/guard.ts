import { Worker } from "node:worker_threads";
import { LIFELINE, TOO_MUCH_MEMORY } from "./reader-descriptors.ts";

/** In this time a document makes less than the room between the limit and what a small machine has. */
const LOOK_EVERY_MS = 25;

/**
 * A thread, because the reader itself hears nothing while it reads. It ends the process at once when whoever started it has
 * gone, however that went, and when the process has more memory than its first argument says, in bytes: the limit of V8
 * counts the heap alone, not what lies beside it.
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
