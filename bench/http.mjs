// Durable runs per second over HTTP, through the built daemon to a provider that answers at once: `node http.mjs`.
import { createServer } from "node:http";
import { Pool } from "undici";
import { startDaemon } from "./built-daemon.mjs";
import { median, printTable, quantile, setting, turnsPerSecond, withFolder } from "./measure.mjs";

const ROUNDS = setting("MKT_BENCH_ROUNDS", 3);
const DURATION_MS = setting("MKT_BENCH_MS", 3_000);
const CLIENTS = [1, 16, 64, 256];

const provider = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json");
  response.end('{"degrees":20.5}');
});
await new Promise((resolve) => provider.listen(0, "127.0.0.1", resolve));
const manifests = {
  instant: {
    http: {
      baseUrl: `http://127.0.0.1:${provider.address().port}`,
      allowPrivateNetwork: true,
      rateLimit: { requests: 1_000_000, perMs: 1_000, concurrency: 256 },
    },
    endpoints: { "/now": { request: { method: "GET", path: "/now" }, price: { type: "PER_CALL", amount: 0.001 } } },
  },
};

const results = new Map(CLIENTS.map((clients) => [clients, []]));
await withFolder(async (folder) => {
  const daemon = await startDaemon(folder, manifests);
  const pool = new Pool(daemon.url, { connections: Math.max(...CLIENTS) });
  const headers = { authorization: `Bearer ${daemon.key}`, "content-type": "application/json" };
  const body = JSON.stringify({ provider: "instant", endpoint: "/now" });
  const buy = async () => {
    const answer = await pool.request({ method: "POST", path: "/v1/run", headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || !text.includes('"COMPLETED"')) throw new Error(`${answer.statusCode}: ${text}`);
  };
  await turnsPerSecond(16, DURATION_MS, buy);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const clients of CLIENTS) {
      const latencies = [];
      const speed = await turnsPerSecond(clients, DURATION_MS, async () => {
        const begin = performance.now();
        await buy();
        latencies.push(performance.now() - begin);
      });
      results.get(clients).push({ speed, p50: median(latencies), p99: quantile(latencies, 0.99) });
    }
  }
  await pool.close();
  await daemon.stop();
});
provider.close();

console.log(`Runs over HTTP, each accepted and finished on the disk; median of ${ROUNDS} rounds\n`);
printTable([
  ["clients", ...CLIENTS],
  ...[
    ["runs per second", "speed", 0],
    ["answered within, ms, half of them", "p50", 1],
    ["99 of 100", "p99", 1],
  ].map(([title, name, digits]) => [
    title,
    ...CLIENTS.map((clients) => median(results.get(clients).map((result) => result[name])).toFixed(digits)),
  ]),
]);
