// Ten times what the built daemon can serve, from a process of its own: `node overload.mjs`. Does it refuse what it cannot
// take, answer soon what it takes, lose nothing that it acknowledged, also when it is killed, and recover?
// MKT_LOAD_SECONDS says how long; `--json` prints the figures as one line.
import { once } from "node:events";
import { Pool } from "undici";
import { startDaemon } from "./built-daemon.mjs";
import {
  exportedRuns,
  openWorkspaces,
  PRICE,
  processFigures,
  startProvider,
  startScript,
  untilSettled,
} from "./load/market.mjs";
import { printTable, setting, turnsPerSecond, withFolder } from "./measure.mjs";

const SECONDS = setting("MKT_LOAD_SECONDS", 60);
const MEASURE_MS = Math.min(5_000, SECONDS * 500);
const CLIENTS = 32;
/** Of the flood: as many sockets as a sender of such a kind may have. */
const CONNECTIONS = 1_000;
const WORKSPACES = 8;
/** Of requests a second, at the least: a machine that is busy otherwise serves so few that ten times as many is no flood. */
const LEAST_RATE = 3_000;
/** "As fast as before" allows for what a machine is like from one second to the next. */
const AS_FAST = 0.8;
const RECOVER_SECONDS = 5;

const figures = await withFolder(async (folder) => {
  const provider = await startProvider();
  let daemon = await startDaemon(folder, provider.manifests);
  try {
    const idle = processFigures(daemon.pid);
    const keys = await openWorkspaces(daemon, WORKSPACES);
    const flooded = await floodAndRecover(daemon, keys, idle);
    await daemon.stop("SIGKILL");
    daemon = await startDaemon(folder, provider.manifests);
    return { ...flooded, ...(await lostRuns(daemon, keys, flooded.flood.acknowledged)) };
  } finally {
    await daemon.stop();
    await provider.stop();
  }
});
report(figures);

async function floodAndRecover(daemon, keys, idle) {
  await closedLoop(daemon, keys, MEASURE_MS);
  const served = await closedLoop(daemon, keys, MEASURE_MS);
  const probe = startScript("health-probe.mjs", daemon.url, "50");
  const rate = Math.max(LEAST_RATE, Math.ceil(served.perSecond * 10));
  const flood = await openLoop({ url: daemon.url, keys, rate, seconds: SECONDS });
  const healthLine = once(probe.lines, "line");
  await probe.stop();
  const [health] = await healthLine;
  const recovered = await untilAsFast(daemon, keys, served.perSecond * AS_FAST);
  const after = await untilSettled(daemon.pid, idle);
  const descriptors = { before: idle?.descriptors, after: after.descriptors, settled: after.settled };
  return { served, flood, health: JSON.parse(health), recovered, descriptors };
}

/** Clients who wait for each answer, with the mix of the flood. */
async function closedLoop(daemon, keys, durationMs) {
  const pool = new Pool(daemon.url, { connections: CLIENTS });
  const latencies = [];
  let turn = 0;
  const perSecond = await turnsPerSecond(CLIENTS, durationMs, async (client) => {
    const key = keys[client % keys.length];
    const kind = (turn += 1) % 10;
    const begin = performance.now();
    const answer = await pool.request(
      kind < 7
        ? post("/v1/run", key, { provider: "instant", endpoint: "/now" })
        : kind < 9
          ? post("/public/v1/discover/endpoints", undefined, { q: "the weather now" })
          : { method: "GET", path: "/v1/runs?limit=10", headers: { authorization: `Bearer ${key}` } },
    );
    await answer.body.dump();
    latencies.push(performance.now() - begin);
  });
  await pool.close();
  return { perSecond, slowest: Math.max(...latencies) };
}

function post(path, key, body) {
  const headers = { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  return { method: "POST", path, headers, body: JSON.stringify(body) };
}

async function openLoop(plan) {
  const script = startScript("open-loop.mjs");
  script.child.stdin.write(`${JSON.stringify({ ...plan, connections: CONNECTIONS })}\n`);
  const [line] = await once(script.lines, "line");
  await script.stop();
  return JSON.parse(line);
}

/** Seconds until it serves as much as before; undefined when it does not within the time. */
async function untilAsFast(daemon, keys, perSecond) {
  const begin = performance.now();
  let best = 0;
  for (;;) {
    const found = await closedLoop(daemon, keys, 1_000);
    const seconds = (performance.now() - begin) / 1_000;
    best = Math.max(best, found.perSecond);
    if (found.perSecond >= perSecond) return { seconds, perSecond: best };
    if (seconds > 2 * RECOVER_SECONDS) return { perSecond: best };
  }
}

/** Runs that were answered as taken and are not there, or are there without their charge. */
async function lostRuns(daemon, keys, acknowledged) {
  let [lost, uncharged, kept] = [0, 0, 0];
  for (const [nth, key] of keys.entries()) {
    const runs = await exportedRuns(daemon, key);
    for (const runId of acknowledged[nth]) {
      const run = runs.get(runId);
      if (run === undefined) lost += 1;
      else if (run.status === "COMPLETED" && run.cost !== PRICE) uncharged += 1;
      else kept += 1;
    }
  }
  return { lost, uncharged, kept };
}

function report({ served, flood, health, recovered, descriptors, lost, uncharged, kept }) {
  const { acknowledged: _ids, statuses, taken, refused, noConnection, dropped, due, refusedWithoutDelay } = flood;
  const shed = (statuses[429] ?? 0) + (statuses[503] ?? 0);
  const others = Object.entries(statuses).filter(([status]) => !["200", "202", "429", "503"].includes(status));
  const summary = {
    servedPerSecond: served.perSecond,
    offeredPerSecond: due / flood.seconds,
    taken,
    shed,
    refused,
    refusedWithoutDelay,
    otherStatuses: Object.fromEntries(others),
    noConnection,
    dropped,
    health,
    recoveredSeconds: recovered.seconds,
    perSecondAfter: recovered.perSecond,
    descriptors,
    acknowledgedKept: kept,
    lost,
    uncharged,
  };
  const aims = {
    "some of it is refused": shed > 0,
    "99 of 100 that it takes within 1 s": taken.p99 < 1_000,
    "nothing acknowledged is lost or not charged": lost + uncharged === 0,
    "no descriptor is left open": descriptors.settled,
    "as fast as before within 5 s": (recovered.seconds ?? Infinity) <= RECOVER_SECONDS,
  };
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify(summary));
    return;
  }
  const perSecond = (count) => Math.round(count / flood.seconds);
  printTable([
    ["", "a second", "p50 ms", "p99 ms", "slowest ms"],
    ["served before, closed loop", Math.round(served.perSecond), "", "", Math.round(served.slowest)],
    ["asked, open loop", perSecond(due), "", "", ""],
    ["taken", perSecond(taken.count), taken.p50.toFixed(0), taken.p99.toFixed(0), taken.slowest.toFixed(0)],
    ["refused, 429 or 503", perSecond(shed), "", (refused.p99 ?? 0).toFixed(0), ""],
    ["no connection free", perSecond(noConnection), "", "", ""],
    ["connection dropped", perSecond(dropped), "", "", ""],
    ["/health", perSecond(health.asked), health.p50.toFixed(0), health.p99.toFixed(0), health.slowest.toFixed(0)],
    ["served after", Math.round(recovered.perSecond), "", "", ""],
  ]);
  console.log(`\n${kept} acknowledged runs are there after kill -9, ${lost} are lost, ${uncharged} are not charged.`);
  console.log(`Descriptors: ${descriptors.before} before, ${descriptors.after} after.`);
  console.log(
    `Other answers: ${JSON.stringify(summary.otherStatuses)}; without Retry-After: ${refusedWithoutDelay}.\n`,
  );
  for (const [aim, reached] of Object.entries(aims)) console.log(`${reached ? "reached" : "MISSED "}  ${aim}`);
  if (Object.values(aims).includes(false)) process.exitCode = 1;
}
