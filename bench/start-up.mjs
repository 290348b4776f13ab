// What a call costs before it does anything, beside an empty Node script and the programs of others: `node start-up.mjs`.
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startDaemon } from "./built-daemon.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";

const ROUNDS = setting("MKT_BENCH_ROUNDS", 15);
const mkt = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));
const peersFolder = fileURLToPath(new URL("./peers/node_modules", import.meta.url));
const peers = {
  "apify --version": ["apify-cli/dist/apify.js", "--version"],
  "wrangler --version": ["wrangler/bin/wrangler.js", "--version"],
};
const aims = { "mkt --version": 1.25, "mkt run --json, warm daemon": 2.2 };

const run = promisify(execFile);

async function millisecondsOf(words, env) {
  const begin = performance.now();
  await run(process.execPath, words, { env });
  return performance.now() - begin;
}

/** Every program once in each round, so that what the machine does meanwhile falls on all of them. */
async function measure(programs, env) {
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (const words of Object.values(programs)) await run(process.execPath, words, { env });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, words] of Object.entries(programs)) times[name].push(await millisecondsOf(words, env));
  }
  return times;
}

function programsOf(folder) {
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "");
  const input = ["-i", '{"latitude":38.72,"longitude":-9.14}'];
  return {
    "an empty script": [empty],
    "mkt --version": [mkt, "--version"],
    "mkt run --json, warm daemon": [mkt, "run", "atlas/sun", ...input, "--json", "--quiet"],
    ...Object.fromEntries(
      Object.entries(peers)
        .map(([name, [path, ...words]]) => [name, [join(peersFolder, path), ...words]])
        .filter(([, [path]]) => existsSync(path)),
    ),
  };
}

await withFolder(async (folder) => {
  const daemon = await startDaemon(folder);
  const places = { MKT_DATA_DIR: join(folder, "data"), MKT_CONFIG_DIR: join(folder, "config") };
  const env = { PATH: process.env.PATH, HOME: folder, MKT_NO_AUTOSTART: "1", ...places };
  const times = await measure(programsOf(folder), env).finally(() => daemon.stop());

  const empty = median(times["an empty script"]);
  const ratio = (milliseconds) => (milliseconds / empty).toFixed(2);
  console.log(`Node ${process.versions.node}; ${ROUNDS} rounds, each program once a round; ratios of medians\n`);
  printTable([
    ["", "median, ms", "least, ms", "ratio", "aim"],
    ...Object.entries(times).map(([name, values]) => [
      name,
      Math.round(median(values)),
      Math.round(Math.min(...values)),
      ratio(median(values)),
      aims[name] ?? "",
    ]),
  ]);
  for (const name of Object.keys(peers).filter((peer) => !(peer in times))) {
    console.log(`\n${name} was left out: it is not installed (cd bench && npm run prepare-peers)`);
  }
});
