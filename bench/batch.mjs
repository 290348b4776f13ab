// A batch of rows beside the same through a loop over the typed client, without and with idempotency keys, and some of them through
// `xargs -P8 mkt run`: `node batch.mjs`. Each is a process of its own, measured from its start to its end; so are the daemon and
// a provider that answers at once. Needs GNU time. Prints the table of docs/performance.md, and ends with 1 where the aim is missed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDaemon } from "./built-daemon.mjs";
import { startScript } from "./load/market.mjs";
import { median, setting, withFolder } from "./measure.mjs";

const ROWS = setting("MKT_BENCH_ROWS", 10_000);
/** In one round alone: each row is a process, and all rows would take a quarter of an hour. */
const XARGS_ROWS = Math.min(ROWS, setting("MKT_BENCH_XARGS_ROWS", 2_000));
const ROUNDS = setting("MKT_BENCH_ROUNDS", 3);
const CONCURRENCY = 8;
/** Of the typed client's rows per second. */
const AIM = 0.8;
const TIME = "/usr/bin/time";

const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));
const loop = fileURLToPath(new URL("./load/client-loop.mjs", import.meta.url));

if (!existsSync(TIME)) {
  console.error(`${TIME} is missing; the package is called "time".`);
  process.exit(1);
}

/**
 * Runs a program to its end: seconds from its start, processor seconds of it and all its children, and the most memory, in MB,
 * that any one of these processes had.
 */
async function timed(command, words, env, stdin) {
  const begin = performance.now();
  const child = spawn(TIME, ["-f", "%U %S %M", command, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: [stdin === undefined ? "ignore" : "pipe", "ignore", "pipe"],
  });
  child.stdin?.end(stdin);
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  const seconds = (performance.now() - begin) / 1_000;
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr.slice(-500)}`);
  const [user, system, kilobytes] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { seconds, cpuSeconds: user + system, megabytes: (kilobytes * 1_024) / 1e6 };
}

/** Rounds of one way to run the rows. */
const found = { batch: [], client: [], keyed: [], xargs: [] };

async function measure(folder, env) {
  const ways = {
    async batch(round) {
      const [rows, out] = [join(folder, `rows${round}.csv`), join(folder, `out${round}.jsonl`)];
      writeFileSync(rows, `item\n${Array.from({ length: ROWS }, (_, at) => `b${round}i${at}\n`).join("")}`);
      const words = ["batch", "vendor/it", rows, "-o", out, "--concurrency", String(CONCURRENCY), "--quiet", "--yes"];
      const figures = await timed(process.execPath, [program, ...words], env);
      const written = readFileSync(out, "utf8").split("\n").length - 1;
      if (written !== ROWS) throw new Error(`${written} results of ${ROWS} rows`);
      return figures;
    },
    client: async (round) => await timed(process.execPath, [loop, `c${round}`, String(ROWS), String(CONCURRENCY)], env),
    keyed: async (round) =>
      await timed(process.execPath, [loop, `k${round}`, String(ROWS), String(CONCURRENCY), "keys"], env),
  };
  const names = Object.keys(ways);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each way comes first, in the middle and last.
    for (const turn of names.keys()) {
      const name = names[(round + turn) % names.length];
      found[name].push({ rows: ROWS, ...(await ways[name](round)) });
    }
  }
  const inputs = Array.from({ length: XARGS_ROWS }, (_, at) => `item=x${at}`).join("\n");
  const words = [`-P${CONCURRENCY}`, "-n1", process.execPath, program, "run", "vendor/it", "--quiet"];
  found.xargs.push({ rows: XARGS_ROWS, ...(await timed("xargs", words, env, inputs)) });
}

const provider = startScript("provider.mjs");
const [baseUrl] = await once(provider.lines, "line");
const manifest = {
  http: { baseUrl, allowPrivateNetwork: true, rateLimit: { requests: 1_000_000, perMs: 1_000, concurrency: 256 } },
  endpoints: {
    "/it": {
      request: { method: "GET", path: "/it" },
      input: { queryParams: { properties: { item: { type: "string" } } } },
      price: { type: "PER_CALL", amount: 0.0001 },
    },
  },
};
await withFolder(async (folder) => {
  const daemon = await startDaemon(folder, { vendor: manifest }, { bundled: false });
  const places = { MKT_DATA_DIR: join(folder, "none"), MKT_CONFIG_DIR: join(folder, "c"), MKT_NO_AUTOSTART: "1" };
  try {
    await measure(folder, { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, ...places });
  } finally {
    await daemon.stop();
  }
});
await provider.stop();

/** Compared round by round: what else the machine does changes from one to the next. */
function ratios(name, other) {
  const of = found[other];
  return found[name].map((one, at) => one.rows / one.seconds / (of[at].rows / of[at].seconds));
}

const speed = (name) => median(found[name].map(({ rows, seconds }) => rows / seconds));
const ratio = (name, other) => (name === "xargs" ? speed(name) / speed(other) : median(ratios(name, other)));
const range = (name, other) => {
  if (found[name].length < 2 || name === other) return "";
  const all = ratios(name, other);
  return ` (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`;
};
const titles = {
  batch: "`mkt batch`",
  client: "a loop over the typed client",
  keyed: "the same with idempotency keys",
  xargs: `\`xargs -P${CONCURRENCY} mkt run\``,
};
const isPartly = XARGS_ROWS < ROWS;
const rows = Object.keys(titles).map((name) => {
  const wall = ROWS / speed(name);
  const cpuMs = median(found[name].map((one) => (one.cpuSeconds / one.rows) * 1_000));
  const memory = Math.round(Math.max(...found[name].map(({ megabytes }) => megabytes)));
  return [
    titles[name],
    `${wall.toFixed(1)} s${name === "xargs" && isPartly ? "¹" : ""}`,
    Math.round(speed(name)),
    ratio(name, "client").toFixed(2) + range(name, "client"),
    ratio(name, "keyed").toFixed(2) + range(name, "keyed"),
    `${cpuMs.toFixed(2)} ms`,
    `${memory} MB${name === "xargs" ? "²" : ""}`,
  ];
});

const count = (number) => number.toLocaleString("en-US");
console.log(
  `${count(ROWS)} rows, ${CONCURRENCY} at a time, ${ROUNDS} rounds in turns; \`xargs\` once, with ${count(XARGS_ROWS)} rows. ` +
    "Medians; ratios round by round, with their range.\n",
);
const head = [
  "",
  `${count(ROWS)} rows`,
  "Rows/s",
  "Of the client",
  "Of it with keys",
  "Processor time of a row",
  "Most memory",
];
for (const cells of [head, head.map(() => "---"), ...rows]) console.log(`| ${cells.join(" | ")} |`);
console.log();
if (isPartly)
  console.log(`¹ Extrapolated from ${count(XARGS_ROWS)} rows, which took ${found.xargs[0].seconds.toFixed(1)} s.`);
console.log(`² Of one \`mkt run\`; ${CONCURRENCY} of them run at a time.\n`);
const reached = ratio("batch", "client");
const isMet = reached >= AIM;
console.log(`The aim, ${AIM} of the typed client, is ${isMet ? "met" : "missed"}: ${reached.toFixed(2)}.`);
if (!isMet) process.exitCode = 1;
