// From the start of the process to its ready line, and the memory that an idle daemon has: `node start.mjs`.
import { setTimeout as pause } from "node:timers/promises";
import { startDaemon } from "./built-daemon.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";

const ROUNDS = setting("MKT_BENCH_ROUNDS", 9);
const IDLE_MS = 1_500;

const results = [];
for (let round = 0; round < ROUNDS; round += 1) {
  await withFolder(async (folder) => {
    const daemon = await startDaemon(folder);
    await pause(IDLE_MS);
    results.push({ readyMs: daemon.readyMs, megabytes: (daemon.memory() ?? NaN) / 1_000_000 });
    await daemon.stop();
  });
}

console.log(`An empty daemon with the bundled catalog; ${ROUNDS} starts\n`);
printTable([
  ["", "median", "least", "most"],
  ...[
    ["ready after, ms", results.map(({ readyMs }) => readyMs)],
    ["memory when idle, MB", results.map(({ megabytes }) => megabytes)],
  ].map(([name, values]) => [name, ...[median(values), Math.min(...values), Math.max(...values)].map(Math.round)]),
]);
