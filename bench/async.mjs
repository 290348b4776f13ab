// Runs in flight at a provider that answers polls, through the built daemon, beside a bare loop with p-queue in this process
// that makes the same calls and records nothing: `node async.mjs`, or `node async.mjs 1000 10000 100000`.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import PQueue from "p-queue";
import { Pool, request } from "undici";
import { startDaemon } from "./built-daemon.mjs";
import { printTable, setting, withFolder } from "./measure.mjs";

/** How long the provider works on a job, long enough that all are in flight before the first one ends, and how often it is asked. */
const JOB_MS = setting("MKT_BENCH_JOB_MS", 20_000);
const POLL_MS = setting("MKT_BENCH_POLL_MS", 5_000);
const CALLERS = 64;
const LOOK_MS = 100;

if (process.argv[2] === "provider") await serveJobs();
else await main(process.argv.slice(2).map(Number));

async function main(given) {
  const sizes = given.length > 0 ? given : [1_000, 10_000];
  const provider = fork(new URL(import.meta.url), ["provider"]);
  const port = await new Promise((resolve) => provider.once("message", resolve));
  const rows = [
    ["runs", "in flight", "accepted/s", "completed/s", "p-queue completed/s", "of it", "bytes a run", "CPU ms a run"],
  ];
  const memory = [];
  for (const size of sizes) {
    const bare = await bareLoop(port, size);
    const run = await throughDaemon(port, size);
    memory.push([run.inFlight, run.bytes * run.inFlight]);
    const speeds = [run.accepted, run.completed, bare].map((perSecond) => perSecond.toFixed(0));
    rows.push([
      size,
      run.inFlight,
      ...speeds,
      (run.completed / bare).toFixed(2),
      run.bytes.toFixed(0),
      run.cpuMs.toFixed(2),
    ]);
  }
  console.log(
    `Jobs of ${JOB_MS / 1_000} s, asked every ${POLL_MS / 1_000} s; all are started at once. In flight are those that had not`,
  );
  console.log(
    "ended when the last one was accepted; memory is for each of these. MKT_BENCH_JOB_MS makes jobs longer.\n",
  );
  printTable(rows);
  const [[small, first], [large, last]] = [memory[0], memory.at(-1)];
  if (large > small) console.log(`\nmemory grows with the runs to the power of ${exponent(small, first, large, last)}`);
  provider.kill();
  process.exit();
}

function exponent(small, first, large, last) {
  return (Math.log(last / first) / Math.log(large / small)).toFixed(2);
}

/** Starts all jobs, and asks for each until it is done. Completed jobs per second. */
async function bareLoop(port, size) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CALLERS });
  const queue = new PQueue({ concurrency: size });
  const ask = async (method, path) => {
    const { body } = await pool.request({ method, path });
    return await body.json();
  };
  const begin = performance.now();
  await queue.addAll(
    Array.from({ length: size }, () => async () => {
      const { id } = await ask("POST", "/jobs");
      do await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      while ((await ask("GET", `/jobs/${id}`)).state !== "done");
    }),
  );
  const seconds = (performance.now() - begin) / 1_000;
  await pool.close();
  return size / seconds;
}

async function throughDaemon(port, size) {
  return await withFolder(async (folder) => {
    const poll = { method: "GET", path: "/jobs/${run.externalId}", everyMs: POLL_MS, factor: 1, status: "$.state" };
    const states = { running: ["running"], done: ["done"] };
    const manifest = {
      http: {
        baseUrl: `http://127.0.0.1:${port}`,
        allowPrivateNetwork: true,
        // An eighth of the slots is kept for other workspaces, so that no run of this one has to wait for another.
        rateLimit: { concurrency: 2 * size },
      },
      async: { start: { id: "$.id" }, poll: { ...poll, states }, runMs: 3_600_000 },
      endpoints: {
        "/job": {
          request: { method: "POST", path: "/jobs" },
          idempotent: true,
          async: {},
          price: { type: "PER_CALL", amount: 0.001 },
        },
      },
    };
    // Otherwise a workspace has 10,000 runs under way, and a key half of them.
    const environment = { MKT_MAX_OPEN_RUNS: "off", MKT_MAX_OPEN_RUNS_PER_KEY: "off", MKT_RATE_LIMIT: "off" };
    const daemon = await startDaemon(folder, { jobs: manifest }, { bundled: false, environment });
    try {
      return await measure(daemon, port, size);
    } finally {
      await daemon.stop();
    }
  });
}

async function measure(daemon, port, size) {
  const pool = new Pool(daemon.url, { connections: CALLERS });
  const headers = { authorization: `Bearer ${daemon.key}`, "content-type": "application/json" };
  const ask = async (method, path, value) => {
    for (;;) {
      const body = value === undefined ? undefined : JSON.stringify(value);
      const answer = await pool.request({ method, path, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode < 300) return JSON.parse(text);
      if (answer.statusCode !== 503) throw new Error(`${answer.statusCode}: ${text}`);
    }
  };
  const start = async () => await ask("POST", "/v1/run", { provider: "jobs", endpoint: "/job" });
  await start();
  const memoryBefore = daemon.memory();
  const cpuBefore = processorMs(daemon.pid);
  const begin = performance.now();
  const runIds = [];
  const caller = async () => {
    while (runIds.length < size) {
      const place = runIds.push("") - 1;
      runIds[place] = (await start()).runId;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const acceptedMs = performance.now() - begin;
  const { body } = await request(`http://127.0.0.1:${port}/in-flight`);
  const inFlight = await body.json();
  const bytes = (daemon.memory() - memoryBefore) / inFlight;
  // The loop beside it reads no run either.
  for (const status of ["READY", "RUNNING"]) {
    while ((await ask("GET", `/v1/runs?status=${status}&limit=1`)).items.length > 0) await delay(LOOK_MS);
  }
  const seconds = (performance.now() - begin) / 1_000;
  const cpuMs = (processorMs(daemon.pid) - cpuBefore) / size;
  for (const runId of runIds) {
    const { status } = await ask("GET", `/v1/runs/${runId}`);
    if (status !== "COMPLETED") throw new Error(`run ${runId} is ${status}`);
  }
  await pool.close();
  return { accepted: size / (acceptedMs / 1_000), completed: size / seconds, inFlight, bytes, cpuMs };
}

/** Processor time of a process, user and system, in milliseconds; Linux alone tells. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Jobs that are done after a time. */
async function serveJobs() {
  let jobs = 0;
  const doneAt = new Map();
  const server = createServer((asked, response) => {
    asked.resume();
    response.setHeader("content-type", "application/json");
    if (asked.method === "POST") {
      jobs += 1;
      doneAt.set(String(jobs), performance.now() + JOB_MS);
      response.end(`{"id":"${jobs}"}`);
      return;
    }
    if (asked.url === "/in-flight") {
      response.end(String(doneAt.size));
      return;
    }
    const id = asked.url.slice("/jobs/".length);
    const isDone = performance.now() >= (doneAt.get(id) ?? 0);
    if (isDone) doneAt.delete(id);
    response.end(isDone ? '{"state":"done","value":1}' : '{"state":"running"}');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.send(server.address().port);
}
