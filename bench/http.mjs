// Durable runs over HTTP, through the built daemon, beside a bare proxy that records nothing: `node http.mjs`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { diskTime } from "./http/disk-time.mjs";
import { createLoad } from "./http/load.mjs";
import { POLL_MS, startMeasured } from "./http/measured-daemon.mjs";
import { ANSWERS, startProvider } from "./http/nginx-provider.mjs";
import { partsOf } from "./http/profile-parts.mjs";
import { ask, startScript } from "./load/market.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";

const ROUNDS = setting("MKT_BENCH_ROUNDS", 3);
const DURATION_MS = setting("MKT_BENCH_MS", 3_000);
const CLIENTS = (process.env.MKT_BENCH_CLIENTS ?? "1,64,256").split(",").map(Number);
/** Parts of the names of the endpoints to measure, such as `get/small`; all without it. */
const ONLY = process.env.MKT_BENCH_ONLY?.split(",");
/** Parts and functions of the profile that are shown. */
const SHOWN = 18;

const KINDS = [
  ["/get/small", "repeatable, 1 kB"],
  ["/post/small", "not repeatable, 1 kB"],
  ["/get/large", "repeatable, 100 kB"],
  ["/post/large", "not repeatable, 100 kB"],
  ["/job/small", `a job, asked about after ${POLL_MS} ms, 1 kB`],
].filter(([endpoint]) => ONLY === undefined || ONLY.some((name) => endpoint.includes(name)));

function requestTo(url, key, endpoint) {
  const body = { provider: "instant", endpoint, ...(endpoint.startsWith("/job/") && { wait: 30 }) };
  return {
    url: `${url}/v1/run`,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** One that works is sent before the load, so that nothing else is measured than what is meant. */
async function checkRun({ url, key }, endpoint) {
  const wait = endpoint.startsWith("/job/") ? { wait: 30 } : {};
  const buy = async () => await ask(url, key, "POST", "/v1/run", { provider: "instant", endpoint, ...wait });
  // A daemon that was just under load, on a machine with other work, may still refuse the first one.
  const run = await buy().catch(async () => await delay(2_000).then(buy));
  if (run.status !== "COMPLETED" || run.cost.value !== 0.001) throw new Error(JSON.stringify(run).slice(0, 500));
}

/** The figures of one round: of the bare proxy, then of the daemon with its processor time. */
async function measureTurn(load, bare, daemon, endpoint, clients) {
  const asked = { clients, durationMs: DURATION_MS };
  const proxy = await load.send(requestTo(bare, "none", endpoint), asked);
  const before = daemon.processorSeconds();
  const runs = await load.send(requestTo(daemon.url, daemon.key, endpoint), asked);
  const used = before === undefined ? NaN : (daemon.processorSeconds() - before) / runs.answered;
  return { ...runs, ratio: runs.speed / proxy.speed, bare: proxy.speed, barep50: proxy.p50, used: used * 1e6 };
}

async function measureAll(folder, load, provider) {
  const bare = startScript("../http/bare-proxy.mjs", provider.baseUrl, String(POLL_MS));
  const [bareUrl] = await once(bare.lines, "line");
  const daemon = await startMeasured(folder, provider.baseUrl);
  const curves = createCurves();
  for (const [endpoint, title] of KINDS) {
    await checkRun(daemon, endpoint);
    await load.send(requestTo(daemon.url, daemon.key, endpoint), { clients: 16, durationMs: DURATION_MS });
    await load.send(requestTo(bareUrl, "none", endpoint), { clients: 16, durationMs: DURATION_MS });
    const columns = [];
    for (const clients of CLIENTS) {
      const turns = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        turns.push(await measureTurn(load, bareUrl, daemon, endpoint, clients));
      }
      columns.push((name) => median(turns.map((turn) => turn[name])));
    }
    curves.add(endpoint, columns);
    console.log(`\n${title}\n`);
    printTable([["clients", ...CLIENTS], ...ROWS.map(([row, of]) => [row, ...columns.map(of)])]);
  }
  curves.print();
  await daemon.stop();
  await bare.stop();
}

/** What ten times the size costs: the processor time per run, as a power of the answer's size and of the number of clients. */
function createCurves() {
  const used = new Map();
  const exponent = (from, to, times) => (Math.log(to / from) / Math.log(times)).toFixed(2);
  return {
    add: (endpoint, columns) =>
      used.set(
        endpoint,
        columns.map((of) => of("used")),
      ),
    print() {
      const [small, large] = [used.get("/get/small"), used.get("/get/large")];
      const [few, many] = [CLIENTS[0], CLIENTS.at(-1)];
      const rows = [["ten times", "processor time per run grows with the power"]];
      if (small !== undefined && few !== many) {
        rows.push([`clients, ${few} to ${many}`, exponent(small[0], small.at(-1), many / few)]);
      }
      if (small !== undefined && large !== undefined) {
        rows.push(["the answer, 1 to 100 kB", exponent(small.at(-1), large.at(-1), ANSWERS.large / ANSWERS.small)]);
      }
      if (rows.length === 1) return;
      console.log("");
      printTable(rows);
    },
  };
}

const ROWS = [
  ["runs per second", (of) => of("speed").toFixed(0)],
  ["bare proxy, answers per second", (of) => of("bare").toFixed(0)],
  ["ratio", (of) => of("ratio").toFixed(2)],
  ["p50, ms", (of) => of("p50").toFixed(2)],
  ["p50 of the bare proxy, ms", (of) => of("barep50").toFixed(2)],
  ["p99, ms", (of) => of("p99").toFixed(2)],
  ["refused", (of) => `${(100 * of("refused")).toFixed(1)} %`],
  ["processor time per run, µs", (of) => of("used").toFixed(0)],
];

/** Where the processor time of a run goes, at 64 clients. */
async function profile(folder, load, provider, endpoint) {
  const profiles = join(folder, "profiles");
  mkdirSync(profiles, { recursive: true });
  const daemon = await startMeasured(folder, provider.baseUrl, { profiles });
  const request = requestTo(daemon.url, daemon.key, endpoint);
  const { answered } = await load.send(request, { clients: 64, durationMs: 3 * DURATION_MS });
  await daemon.stop();
  const { parts, functions } = partsOf(profiles);
  const all = parts.reduce((sum, [, us]) => sum + us, 0);
  const row = ([name, us]) => [name, (us / answered).toFixed(1), `${((100 * us) / all).toFixed(1)} %`];
  console.log(`\nProcessor time of ${endpoint} at 64 clients, from a profile of the daemon, its start included\n`);
  printTable([["part", "µs per run", "share"], ...parts.slice(0, SHOWN).map(row)]);
  console.log("");
  printTable([["function", "µs per run", "share"], ...functions.slice(0, SHOWN).map(row)]);
}

await withFolder(async (folder) => {
  const provider = await startProvider(folder);
  const load = createLoad(folder);
  const disk = diskTime(folder);
  console.log(
    `Runs over HTTP, each accepted and finished on the disk; median of ${ROUNDS} rounds, in turns with a bare`,
  );
  console.log(`proxy (Fastify and undici). Load: ${load.name}. Provider: ${provider.name}.`);
  console.log(`An fdatasync of 1 kB takes ${disk.toFixed(2)} ms on this disk (median).`);
  await measureAll(join(folder, "measured"), load, provider);
  const [[first] = []] = KINDS;
  if (first !== undefined) await profile(join(folder, "profiled"), load, provider, first);
  await provider.stop();
});
