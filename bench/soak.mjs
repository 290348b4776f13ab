// Half an hour of everything at once at a moderate pace, against the built daemon: `node soak.mjs`. Do its memory, its
// descriptors and its temporary files stay as many as they were? MKT_LOAD_SECONDS says how long; `--json` prints one line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { startDaemon } from "./built-daemon.mjs";
import { ask, openWorkspaces, processFigures, startProvider, untilSettled } from "./load/market.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";

const SECONDS = setting("MKT_LOAD_SECONDS", 1_800);
/** Of the time: caches fill, code is compiled, the heap finds its size. */
const WARM_UP = 0.25;
const SAMPLES = 60;
/** What memory may grow by after the warm-up in half an hour, in bytes, what is kept of each run in memory aside. */
const FLAT_BYTES = 32 * 1_048_576;
/** Of each run that was made, for its place in the index of the journal. `million-runs.mjs` measures it. */
const BYTES_OF_RUN = 512;
const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));

async function soak({ daemon, key, folder, before }) {
  const pool = new Pool(daemon.url, { connections: 16 });
  const done = {};
  const failures = [];
  const place = { daemon, key, folder, pool };
  // Each of them once, so that what is opened for the first time is open before anything is counted.
  for (const [, work] of activities) await work(place, 0);
  const end = performance.now() + SECONDS * 1_000;
  const samples = [];
  const sampling = setInterval(
    () => samples.push({ ...processFigures(daemon.pid), runs: done.run ?? 0 }),
    (SECONDS * 1_000) / SAMPLES,
  );
  await Promise.all(
    activities.map(async ([name, work, everyMs]) => {
      for (let nth = 1; performance.now() < end; nth += 1) {
        await work(place, nth).catch((error) => failures.push(`${name}: ${error.message}`));
        done[name] = (done[name] ?? 0) + 1;
        await new Promise((resolve) => setTimeout(resolve, Math.min(everyMs, Math.max(0, end - performance.now()))));
      }
    }),
  );
  clearInterval(sampling);
  await pool.close();
  const settled = await untilSettled(daemon.pid, before);
  const after = { ...settled, temporaryFiles: await leftTemporaryFiles(folder, before.temporaryFiles) };
  return { done, failures, before, after, samples };
}

/** What is done over and over, each on its own, with a pause in ms between. */
const activities = [
  ["run", (place) => post(place, "/v1/run", { provider: "instant", endpoint: "/now" }), 20],
  ["report", (place) => post(place, "/v1/run", { provider: "instant", endpoint: "/report", wait: 1 }), 200],
  ["search", (place, nth) => post(place, "/v1/discover", { q: `the weather of day ${nth % 500}` }), 100],
  ["search without a key", (place) => post(place, "/public/v1/discover/endpoints", { q: "a report" }, null), 250],
  ["inspection", (place) => post(place, "/v1/inspect", { provider: "instant", endpoint: "/now" }), 100],
  ["activities", (place) => get(place, "/v1/wallet/activities?limit=50"), 200],
  ["list", (place) => get(place, "/v1/runs?limit=100"), 200],
  ["export", (place) => get(place, "/v1/runs/export?format=ndjson"), 10_000],
  ["key", makeKey, 2_000],
  ["import", importDocument, 20_000],
  ["client that hangs up", hangUp, 500],
  ["client that reads slowly", readSlowly, 3_000],
];

async function post({ pool, key }, path, body, sender = key) {
  const headers = { "content-type": "application/json", ...(sender !== null && { authorization: `Bearer ${sender}` }) };
  await whole(await pool.request({ method: "POST", path, headers, body: JSON.stringify(body) }));
}

async function get({ pool, key }, path) {
  await whole(await pool.request({ method: "GET", path, headers: { authorization: `Bearer ${key}` } }));
}

/** Reads to the end. What is refused for now is what a caller comes again for. */
async function whole({ statusCode, body }) {
  await body.arrayBuffer();
  if (statusCode >= 400 && statusCode !== 429 && statusCode !== 503) throw new Error(`${statusCode}`);
}

async function makeKey({ daemon, key }, nth) {
  const label = `soak-${nth}`;
  await ask(daemon.url, key, "POST", "/v1/api-keys", { label, scopes: ["runs:read"] });
  await ask(daemon.url, key, "POST", `/v1/api-keys/${label}/revoke`);
}

/** One of three documents into the catalog of the daemon that runs: it reads its folder anew and indexes it. */
async function importDocument({ folder }, nth) {
  const file = join(folder, `imported-${nth % 3}.json`);
  const paths = Object.fromEntries(
    Array.from({ length: 20 }, (_, path) => [
      `/thing-${path}`,
      { get: { summary: `Thing ${path} of import ${nth}`, responses: { 200: { description: "It" } } } },
    ]),
  );
  const info = { title: `Imported ${nth % 3}`, version: String(nth) };
  writeFileSync(file, JSON.stringify({ openapi: "3.0.3", info, servers: [{ url: "https://api.example" }], paths }));
  const words = ["catalog", "import", file, "--out", join(folder, "catalog")];
  const child = spawn(process.execPath, [program, ...words], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      MKT_CONFIG_DIR: join(folder, "config"),
      MKT_DATA_DIR: join(folder, "data"),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = [];
  child.stderr.on("data", (chunk) => said.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`import ended with ${code}: ${Buffer.concat(said).toString().slice(0, 300)}`);
}

/** In the middle of an answer, and in the middle of a request, in turn. */
async function hangUp({ daemon, key }, nth) {
  const { socket, firstData } = await connectTo(daemon);
  const head = `Host: ${new URL(daemon.url).host}\r\nAuthorization: Bearer ${key}\r\n`;
  if (nth % 2 === 0) {
    socket.write(`GET /v1/runs/export?format=ndjson HTTP/1.1\r\n${head}\r\n`);
    await firstData;
  } else {
    socket.write(`POST /v1/run HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"prov`);
  }
  socket.destroy();
}

/** Takes some of an export, then rests with the socket full, then takes the rest. */
async function readSlowly({ daemon, key }) {
  const { socket, firstData, closed } = await connectTo(daemon);
  const head = `Host: ${new URL(daemon.url).host}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`;
  socket.write(`GET /v1/runs/export?format=csv HTTP/1.1\r\n${head}\r\n`);
  await firstData;
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  socket.resume();
  await closed;
}

/**
 * A connection, with what will happen on it. Both are listened for from the start: a short answer that came in one piece is
 * over, and its connection closed, before anybody asks for the close.
 */
async function connectTo(daemon) {
  const socket = connect(Number(new URL(daemon.url).port), "127.0.0.1");
  await once(socket, "connect");
  let failure;
  socket.on("error", (error) => (failure = error));
  const closed = new Promise((resolve, reject) => {
    socket.once("close", () => (failure === undefined ? resolve() : reject(failure)));
  });
  // Whoever does not wait for the close does not hear of its failure either.
  closed.catch(() => undefined);
  const firstData = Promise.race([once(socket, "data"), closed]);
  firstData.catch(() => undefined);
  return { socket, firstData, closed };
}

/** One that is there for a moment is a document that is being written. */
async function leftTemporaryFiles(folder, most) {
  const until = Date.now() + 10_000;
  let found = temporaryFilesIn(folder);
  for (; found > most && Date.now() < until; found = temporaryFilesIn(folder)) await delay(50);
  return found;
}

/** Without the code that Node compiled and keeps there. */
function temporaryFilesIn(folder) {
  const all = readdirSync(folder, { recursive: true }).map(String);
  const names = all.filter((name) => !name.startsWith("tmp/node-compile-cache"));
  return names.filter((name) => name.startsWith("tmp/") || /\.tmp\b|\.partial\b|~$/.test(name)).length;
}

function report({ done, failures, before, after, samples }) {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP)).filter(({ memory }) => memory !== undefined);
  const third = Math.max(1, Math.floor(warm.length / 3));
  const [early, late] = [warm.slice(0, third), warm.slice(-third)];
  const runs = median(late.map((sample) => sample.runs)) - median(early.map((sample) => sample.runs));
  // A third of them lies between the middle of the first and the middle of the last third.
  const grewBytes = median(late.map(({ memory }) => memory)) - median(early.map(({ memory }) => memory));
  const summary = {
    done,
    failures: failures.length,
    firstFailures: failures.slice(0, 5),
    descriptors: { before: before.descriptors, after: after.descriptors, settled: after.settled },
    temporaryFiles: { before: before.temporaryFiles, after: after.temporaryFiles },
    memory: {
      early: median(early.map(({ memory }) => memory)),
      late: median(late.map(({ memory }) => memory)),
      grewBytes,
    },
    runsBetween: runs,
  };
  const aims = {
    "nothing fails": failures.length === 0,
    "memory is flat": grewBytes <= FLAT_BYTES + runs * BYTES_OF_RUN,
    "no descriptor is left open": after.settled,
    "no temporary file is left": after.temporaryFiles <= before.temporaryFiles,
  };
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify(summary));
    return;
  }
  const mb = (bytes) => Math.round(bytes / 1_048_576);
  printTable([["done", "times"], ...Object.entries(done)]);
  console.log(
    `\nMemory: ${mb(summary.memory.early)} MB after the warm-up, ${mb(summary.memory.late)} MB at the end, ${runs} runs later.`,
  );
  console.log(
    `Descriptors: ${before.descriptors} before, ${after.descriptors} after; temporary files: ${before.temporaryFiles}, ${after.temporaryFiles}.`,
  );
  if (failures.length > 0) console.log(`Failures: ${failures.length}, such as ${failures[0]}`);
  console.log();
  for (const [aim, reached] of Object.entries(aims)) console.log(`${reached ? "reached" : "MISSED "}  ${aim}`);
  if (Object.values(aims).includes(false)) process.exitCode = 1;
}

const figures = await withFolder(async (folder) => {
  const provider = await startProvider();
  const daemon = await startDaemon(folder, provider.manifests);
  try {
    const before = { ...processFigures(daemon.pid), temporaryFiles: temporaryFilesIn(folder) };
    const [key] = await openWorkspaces(daemon, 1);
    return await soak({ daemon, key, folder, before });
  } finally {
    await daemon.stop();
    await provider.stop();
  }
});
report(figures);
