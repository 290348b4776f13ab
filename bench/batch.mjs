// A batch of rows beside the same through `xargs -P8 mkt run` and a loop over the typed client: `node batch.mjs`. In turns, each
// with a daemon that serves a provider which answers at once. Prints rows per second, their ratio, and the most memory.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "../dist/client.js";
import { startDaemon } from "./built-daemon.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";

const ROWS = setting("MKT_BENCH_ROWS", 10_000);
/** A process a row: as many as take no more time than the rest. */
const XARGS_ROWS = setting("MKT_BENCH_XARGS_ROWS", 200);
const ROUNDS = setting("MKT_BENCH_ROUNDS", 3);
const CONCURRENCY = 8;
const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));

const upstream = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end('{"ok":true}');
});
await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));
const manifest = {
  http: { baseUrl: `http://127.0.0.1:${upstream.address().port}`, allowPrivateNetwork: true },
  endpoints: {
    "/it": {
      request: { method: "GET", path: "/it" },
      input: { queryParams: { properties: { item: { type: "string" } } } },
      price: { type: "PER_CALL", amount: 0.0001 },
    },
  },
};

/** Runs a program to its end, and returns the seconds that took and the most memory, in MB, that its process had. */
async function timed(command, words, env, stdin) {
  const begin = performance.now();
  const child = spawn("/usr/bin/time", ["-f", "%M", command, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: [stdin === undefined ? "ignore" : "pipe", "ignore", "pipe"],
  });
  child.stdin?.end(stdin);
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr.slice(-500)}`);
  return { seconds: (performance.now() - begin) / 1_000, megabytes: Number(stderr.trim().split("\n").at(-1)) / 1_000 };
}

async function loopOfClient(url, key) {
  const client = createClient({ baseUrl: url, key });
  const begin = performance.now();
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < ROWS; at = next++) {
      const input = { queryParams: { item: `item${at}` } };
      await client.startRun({ body: { provider: "vendor", endpoint: "/it", input } });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { seconds: (performance.now() - begin) / 1_000 };
}

const found = { batch: [], client: [], xargs: [] };
const memory = [];
await withFolder(async (folder) => {
  const daemon = await startDaemon(folder, { vendor: manifest }, { bundled: false });
  const env = {
    MKT_API_URL: daemon.url,
    MKT_API_KEY: daemon.key,
    MKT_DATA_DIR: folder,
    MKT_CONFIG_DIR: join(folder, "c"),
  };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const rows = join(folder, `rows${round}.csv`);
      writeFileSync(rows, `item\n${Array.from({ length: ROWS }, (_, at) => `r${round}i${at}\n`).join("")}`);
      const words = ["batch", "vendor/it", rows, "-o", join(folder, `out${round}.jsonl`), "--quiet", "--yes"];
      const batch = await timed(process.execPath, [program, ...words], env);
      found.batch.push(ROWS / batch.seconds);
      memory.push(batch.megabytes);
      found.client.push(ROWS / (await loopOfClient(daemon.url, daemon.key)).seconds);
      const inputs = Array.from({ length: XARGS_ROWS }, (_, at) => `item=r${round}x${at}`).join("\n");
      const xargs = ["-P8", "-n1", process.execPath, program, "run", "vendor/it", "--quiet"];
      found.xargs.push(XARGS_ROWS / (await timed("xargs", xargs, env, inputs)).seconds);
    }
  } finally {
    await daemon.stop();
  }
});
upstream.close();

const client = median(found.client);
console.log(`${ROWS} rows at ${CONCURRENCY} (xargs: ${XARGS_ROWS}), ${ROUNDS} rounds in turns\n`);
printTable([
  ["", "rows/s", "of the typed client", "most memory, MB"],
  ...Object.entries(found).map(([name, values]) => [
    { batch: "mkt batch", client: "a loop over the typed client", xargs: "xargs -P8 mkt run" }[name],
    Math.round(median(values)),
    (median(values) / client).toFixed(2),
    name === "batch" ? Math.round(Math.max(...memory)) : "",
  ]),
]);
