import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median } from "../measure.mjs";

/** How long the disk takes to keep a line of 1 kB, in ms: what no durable answer can be quicker than. */
export function diskTime(folder, writes = 500) {
  const file = openSync(join(folder, "flushed"), "a");
  const line = Buffer.alloc(1_000, "x");
  const times = [];
  for (let nth = 0; nth < writes; nth += 1) {
    const begin = performance.now();
    writeSync(file, line);
    fdatasyncSync(file);
    times.push(performance.now() - begin);
  }
  closeSync(file);
  return median(times);
}
