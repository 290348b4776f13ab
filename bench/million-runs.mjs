/*
 * A daemon with very many runs on its disk: how long a start takes, how much memory it has, how fast one run is found, and how
 * long the console's screens wait for it.
 *
 *   MKT_BENCH_RUNS   1000000     MKT_BENCH_DIR   where the data folder lies; MKT_BENCH_KEEP=1 keeps it for the next time
 *
 * Uses the built program: `npx tsup` first.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { importBundled } from "./bundle.mjs";
import { median, printTable, quantile, setting, withFolder } from "./measure.mjs";

const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));
const runs = setting("MKT_BENCH_RUNS", 1_000_000);
const SAMPLE = 5_000;
/** Requests before those that are counted: the program gets warm. */
const WARM_UP = 500;
const STARTS = 5;
/** In the first one indexes and pages are read from the disk for the first time. */
const PASSES = 3;
const VISITS = 21;

async function startDaemon(home) {
  const begin = performance.now();
  const child = spawn(process.execPath, [program, "daemon", "--port", "0", "--registry-port", "0"], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      MKT_DATA_DIR: join(home, "data"),
      MKT_CONFIG_DIR: join(home, "config"),
      MKT_BALLAST_BYTES: "0",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('"url"')) continue;
    const ready = JSON.parse(line);
    const startMs = performance.now() - begin;
    return { ready, startMs, pid: child.pid, kill: (signal) => (child.kill(signal), exited) };
  }
  throw new Error("the daemon did not start");
}

function residentMegabytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}

function keyIn(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    const [key] = statSync(path).isFile() ? (/mkt_live_\w+/.exec(readFileSync(path, "utf8")) ?? []) : [];
    if (key !== undefined) return key;
  }
  throw new Error(`there is no key in ${folder}`);
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function request(url, key) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    get(url, { agent, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    }).once("error", reject);
  });
}

async function timed(url, key) {
  const begin = performance.now();
  const status = await request(url, key);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  return performance.now() - begin;
}

/** What the console asks until a screen shows what it is for, one after the other; its files are read once and kept. */
function screensNow() {
  const day = (shift) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10);
  const usage = (by) => `/v1/usage?groupBy=${by}&since=${day(-30)}T00:00:00Z&until=${day(1)}T00:00:00Z`;
  return {
    Home: ["/v1/overview"],
    Runs: ["/v1/runs?limit=50"],
    "Runs, by status": ["/v1/runs?limit=50&status=FAILED"],
    Spend: [usage("day"), usage("provider")],
  };
}

/** Rows of the table: the first visit of a daemon, and the median of later ones. */
async function timedScreens(daemon, key) {
  const rows = [];
  for (const [name, paths] of Object.entries(screensNow())) {
    const visits = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      let ms = 0;
      for (const path of ["/console/", "/v1/auth/whoami", ...paths])
        ms += await timed(`${daemon.ready.url}${path}`, key);
      visits.push(ms);
    }
    rows.push([`console, ${name}: first visit, ms`, visits[0].toFixed(0)]);
    rows.push([`console, ${name}: later ones, ms (median)`, median(visits.slice(1)).toFixed(1)]);
  }
  return rows;
}

function bytesIn(folder, ending) {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function measure(home) {
  const samplePath = join(home, "sample.json");
  if (!existsSync(samplePath)) {
    const first = await startDaemon(home);
    await first.kill("SIGTERM");
    const { addRuns } = await importBundled("run-history");
    const begin = performance.now();
    writeFileSync(samplePath, JSON.stringify(await addRuns(join(home, "data"), runs, SAMPLE)));
    console.log(`${runs} runs written in ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  }
  const sample = JSON.parse(readFileSync(samplePath, "utf8"));
  const key = keyIn(join(home, "config"));

  const starts = [];
  for (let round = 0; round < STARTS; round += 1) {
    const daemon = await startDaemon(home);
    starts.push({ ms: daemon.startMs, mb: residentMegabytes(daemon.pid) });
    await daemon.kill("SIGTERM");
  }
  const daemon = await startDaemon(home);
  for (const runId of sample.slice(0, WARM_UP)) await timed(`${daemon.ready.url}/v1/runs/${runId}`, key);
  const passes = [];
  const healths = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    const gets = [];
    for (const runId of sample.toSorted(() => Math.random() - 0.5)) {
      gets.push(await timed(`${daemon.ready.url}/v1/runs/${runId}`, key));
      healths.push(await timed(`${daemon.ready.url}/health`, key));
    }
    passes.push(gets);
  }
  const afterGets = residentMegabytes(daemon.pid);
  const list = await timed(`${daemon.ready.url}/v1/runs?limit=20`, key);
  const filtered = await timed(`${daemon.ready.url}/v1/runs?limit=20&provider=nobody`, key);
  const atEnd = residentMegabytes(daemon.pid);
  const screens = await timedScreens(daemon, key);
  const afterScreens = residentMegabytes(daemon.pid);
  await daemon.kill("SIGKILL");
  const afterKill = await startDaemon(home);
  await afterKill.kill("SIGTERM");

  const log = join(home, "data", "log");
  printTable([
    ["what", "value"],
    ["runs", String(runs)],
    ["journal, MB", (bytesIn(log, ".ndjson") / 1e6).toFixed(0)],
    ["indexes, MB", (bytesIn(log, ".idx") / 1e6).toFixed(0)],
    ["start, ms (median)", median(starts.map(({ ms }) => ms)).toFixed(0)],
    ["start after kill -9, ms", afterKill.startMs.toFixed(0)],
    ["memory after start, MB (median)", median(starts.map(({ mb }) => mb)).toFixed(0)],
    [`memory after ${PASSES * sample.length} reads, MB`, afterGets.toFixed(0)],
    ["GET /v1/runs/{id} p50 by pass, ms", ofPasses(passes, 0.5)],
    ["GET /v1/runs/{id} p99 by pass, ms", ofPasses(passes, 0.99)],
    ["GET /health beside it p50, ms", quantile(healths, 0.5).toFixed(2)],
    ["GET /health beside it p99, ms", quantile(healths, 0.99).toFixed(2)],
    ["first page of 20, ms", list.toFixed(1)],
    ["a filter that nothing fits, ms", filtered.toFixed(0)],
    ["memory after that, MB", atEnd.toFixed(0)],
    ...screens,
    ["memory after that, MB", afterScreens.toFixed(0)],
  ]);
}

function ofPasses(passes, q) {
  return passes.map((times) => quantile(times, q).toFixed(2)).join(", ");
}

const keptHome = process.env.MKT_BENCH_DIR !== undefined && process.env.MKT_BENCH_KEEP === "1";
if (keptHome) await measure(process.env.MKT_BENCH_DIR);
else await withFolder(measure);
