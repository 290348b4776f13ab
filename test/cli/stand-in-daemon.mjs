// Stands in for `mkt daemon run`: writes the local file that the test names, answers /health, ends on SIGTERM.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";

const { STAND_IN_FILE: file, STAND_IN_EXIT: exitCode } = process.env;
const flags = process.argv.slice(2);
const dataDir = flags[flags.indexOf("--data-dir") + 1];

process.stdout.write(`${JSON.stringify({ event: "starting", flags })}\n`);
if (exitCode !== undefined) {
  process.stderr.write('{"level":50,"msg":"something inside"}\nmkt daemon: The port 7717 is taken.\n');
  process.exit(Number(exitCode));
}
const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.url === "/health") {
    return response.end(JSON.stringify({ status: "ok", version: "9.9.9", uptimeMs: 1, storage: "ok" }));
  }
  if (request.url === "/v1/discover") return response.end(JSON.stringify({ query: "x", count: 0, results: [] }));
  response.statusCode = 404;
  response.end(JSON.stringify({ code: 404, message: "Not found" }));
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const startedAt = new Date().toISOString();
  const state = {
    url,
    registryUrl: url,
    pid: process.pid,
    version: "9.9.9",
    dataDir,
    key: "mkt_live_standin",
    startedAt,
  };
  writeFileSync(file, JSON.stringify(state));
});
process.on("SIGTERM", () => process.exit(0));
// Nobody may be left to stop it: a stand-in that outlives its test ends by itself.
setTimeout(() => process.exit(0), 60_000).unref();
