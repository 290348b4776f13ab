/*
 * A daemon with many resources that were given back: what it has in memory after a start, how large a snapshot is, and how long a
 * page of the list and one resource take. `MKT_BENCH_RESOURCES` (1000,10000,100000) says how many. Uses the built program.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { importBundled } from "./bundle.mjs";
import { startDaemon } from "./built-daemon.mjs";
import { median, printTable, withFolder } from "./measure.mjs";

const counts = (process.env.MKT_BENCH_RESOURCES ?? "1000,10000,100000").split(",").map(Number);
const SAMPLE = 200;
const VISITS = 21;
const { addEndedResources } = await importBundled("resource-history");

async function timed({ url, key }, path) {
  const begin = performance.now();
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return { ms: performance.now() - begin, body };
}

async function times(daemon, paths) {
  const taken = [];
  for (const path of paths) taken.push((await timed(daemon, path)).ms);
  return taken;
}

async function measure(count) {
  return await withFolder(async (folder) => {
    await (await startDaemon(folder)).stop();
    const sample = await addEndedResources(join(folder, "data"), count, SAMPLE);
    await (await startDaemon(folder)).stop();
    const daemon = await startDaemon(folder);
    const memory = daemon.memory() ?? NaN;
    const again = (path) => Array.from({ length: VISITS }, () => path);
    const first = (await timed(daemon, "/v1/resources?limit=20")).ms;
    const pages = await times(daemon, again("/v1/resources?limit=20"));
    const live = await times(daemon, again("/v1/resources?limit=20&state=ACTIVE"));
    const nobody = await times(daemon, again("/v1/resources?limit=20&provider=nobody"));
    const usage = await times(daemon, again("/v1/usage?groupBy=provider"));
    const found = await times(
      daemon,
      sample.map((id) => `/v1/resources/${id}`),
    );
    await daemon.stop();
    const state = join(folder, "data", "state");
    const newest = readdirSync(state)
      .filter((name) => name.startsWith("snap-"))
      .at(-1);
    return [
      count,
      daemon.readyMs.toFixed(0),
      (memory / 1e6).toFixed(0),
      (statSync(join(state, newest)).size / 1e3).toFixed(1),
      first.toFixed(1),
      ...[pages, live, nobody, usage, found].map((taken) => median(taken).toFixed(1)),
    ];
  });
}

const rows = [];
for (const count of counts) rows.push(await measure(count));
const head = ["ended resources", "start, ms", "memory after it, MB", "snapshot, kB", "first page of 20, ms"];
printTable([[...head, "later", "live ones", "of nobody", "usage", "one by id"], ...rows]);
