// From the start of the process to its ready line, and the memory that an idle daemon has: `node start.mjs`. Each round starts
// one daemon as it comes and one without its console, so that what the machine does meanwhile falls on both.
import { setTimeout as pause } from "node:timers/promises";
import { startDaemon } from "./built-daemon.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";

const ROUNDS = setting("MKT_BENCH_ROUNDS", 9);
const IDLE_MS = 1_500;

const results = [];
const without = [];

async function measure(environment) {
  return await withFolder(async (folder) => {
    const daemon = await startDaemon(folder, {}, { environment });
    await pause(IDLE_MS);
    const measured = { readyMs: daemon.readyMs, megabytes: (daemon.memory() ?? NaN) / 1_000_000 };
    await daemon.stop();
    return measured;
  });
}

for (let round = 0; round < ROUNDS; round += 1) {
  // Whichever comes first finds colder caches: they take turns.
  for (const isOn of round % 2 === 0 ? [true, false] : [false, true]) {
    (isOn ? results : without).push(await measure(isOn ? {} : { MKT_CONSOLE: "off" }));
  }
}

console.log(`An empty daemon with the bundled catalog; ${ROUNDS} starts with the console and as many without\n`);
printTable([
  ["", "median", "least", "most"],
  ...[
    ["ready after, ms", results.map(({ readyMs }) => readyMs)],
    ["memory when idle, MB", results.map(({ megabytes }) => megabytes)],
    ["ready without the console, ms", without.map(({ readyMs }) => readyMs)],
    ["memory without it, MB", without.map(({ megabytes }) => megabytes)],
  ].map(([name, values]) => [name, ...[median(values), Math.min(...values), Math.max(...values)].map(Math.round)]),
]);

const ratio = (of) => (median(results.map(of)) / median(without.map(of))).toFixed(3);
console.log(
  `\nWith the console over without: start ${ratio(({ readyMs }) => readyMs)}, memory ${ratio(({ megabytes }) => megabytes)}`,
);
