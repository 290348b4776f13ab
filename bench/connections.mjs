// What a paid POST that must not be repeated costs at a TLS provider 40 ms away: `node connections.mjs`, after a build.
// Beside the daemon stands what it did before: a new connection with a whole handshake for every call.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import { join } from "node:path";
import { Agent, buildConnector, Pool, request } from "undici";
import { startDaemon } from "./built-daemon.mjs";
import { startDelayingProxy } from "./delaying-proxy.mjs";
import { median, printTable, quantile, setting, withFolder } from "./measure.mjs";

/** Of a round trip; half of it in each direction. */
const DELAY_MS = setting("MKT_BENCH_DELAY_MS", 40);
const CALLS = setting("MKT_BENCH_CALLS", 40);
const CLIENTS = [1, 4];

await withFolder(async (folder) => {
  const { key, cert, file } = makeCertificate(folder);
  const listener = (incoming, response) => {
    incoming.resume();
    incoming.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"ok":true}');
    });
  };
  const servers = {
    "HTTP/1.1, TLS 1.3": createServer({ key, cert }, listener),
    "HTTP/1.1, TLS 1.2": createServer({ key, cert, maxVersion: "TLSv1.2" }, listener),
    "HTTP/2, TLS 1.3": createSecureServer({ key, cert, allowHTTP1: true }, listener),
  };
  const [names, proxies, manifests] = [Object.keys(servers), [], {}];
  for (const [index, name] of names.entries()) {
    await new Promise((resolve) => servers[name].listen(0, "127.0.0.1", resolve));
    const proxy = await startDelayingProxy(servers[name].address().port, DELAY_MS / 2);
    proxies.push(proxy);
    manifests[`far${index}`] = {
      http: { baseUrl: `https://127.0.0.1:${proxy.port}`, allowPrivateNetwork: true },
      endpoints: { "/buy": { request: { method: "POST", path: "/buy" }, price: { type: "PER_CALL", amount: 0.001 } } },
    };
  }
  const daemon = await startDaemon(folder, manifests, { bundled: false, environment: { NODE_EXTRA_CA_CERTS: file } });
  const pool = new Pool(daemon.url, { connections: Math.max(...CLIENTS) });
  const headers = { authorization: `Bearer ${daemon.key}`, "content-type": "application/json" };
  const rows = [["provider", "clients", "before, ms", "now, ms", "p95 before", "p95 now", "now / before", "run, ms"]];
  for (const [index, name] of names.entries()) {
    const buy = async () => {
      const body = JSON.stringify({ provider: `far${index}`, endpoint: "/buy" });
      const answer = await pool.request({ method: "POST", path: "/v1/run", headers, body });
      const text = await answer.body.text();
      // Other work on the machine; the time counts all the same.
      if (answer.statusCode === 503) return await buy();
      if (!text.includes('"COMPLETED"')) throw new Error(`${answer.statusCode}: ${text}`);
      return JSON.parse(text).attempts[0].durationMs;
    };
    const connect = buildConnector({ ca: cert, maxCachedSessions: 0 });
    const alone = new Agent({ connect, pipelining: 0 });
    const before = async () => {
      const address = `https://127.0.0.1:${proxies[index].port}/buy`;
      const { body } = await request(address, { method: "POST", dispatcher: alone });
      await body.text();
      return undefined;
    };
    for (const clients of CLIENTS) {
      const times = { before: [], now: [], run: [] };
      // In turns, so that what else the machine does meets both.
      for (let round = 0; round < 4; round += 1) {
        times.before.push(...(await timesOf(before, clients)).map(({ allMs }) => allMs));
        const made = await timesOf(buy, clients);
        times.now.push(...made.map(({ callMs }) => callMs));
        times.run.push(...made.map(({ allMs }) => allMs));
      }
      const [was, is] = [median(times.before), median(times.now)];
      const tail = [quantile(times.before, 0.95), quantile(times.now, 0.95)].map((ms) => ms.toFixed(0));
      rows.push([
        name,
        clients,
        was.toFixed(0),
        is.toFixed(0),
        ...tail,
        (is / was).toFixed(2),
        median(times.run).toFixed(0),
      ]);
    }
    await alone.destroy();
  }
  console.log(
    `A POST that must not be repeated, ${DELAY_MS} ms a round trip; medians of the call, and of the run around it\n`,
  );
  printTable(rows);
  await pool.close();
  await daemon.stop();
  for (const proxy of proxies) proxy.close();
  for (const name of names) {
    servers[name].closeAllConnections?.();
    servers[name].close();
  }
});
process.exit();

async function timesOf(turn, clients) {
  const times = [];
  const client = async () => {
    for (let made = 0; made < CALLS / 4; made += 1) {
      const begin = performance.now();
      const callMs = await turn();
      times.push({ callMs, allMs: performance.now() - begin });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}

/** Signed by an authority of its own, which the daemon is told to trust. */
function makeCertificate(folder) {
  const openssl = (...words) => execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const made = ["-x509", "-days", "2", "-addext", "subjectAltName=IP:127.0.0.1"];
  openssl("req", ...ec, "-subj", "/CN=bench", "-keyout", "bench.key", ...made, "-out", "bench.pem");
  const file = join(folder, "bench.pem");
  return { file, cert: readFileSync(file, "utf8"), key: readFileSync(join(folder, "bench.key"), "utf8") };
}
