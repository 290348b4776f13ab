import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Pool } from "undici";
import { median, quantile, turnsPerSecond } from "../measure.mjs";
import { hasProgram } from "./nginx-provider.mjs";

const run = promisify(execFile);

/**
 * Sends one request again and again: `clients` at a time, for `durationMs`. Resolves with the answers per second and how long
 * half of them and 99 of 100 took, in ms. `refused` is the share that was no 2xx: a daemon that gets too little of the processor
 * refuses some, and their times count too. With `keys`, requests are sent with one after the other. `wrk`, or undici in this process without it.
 */
export function createLoad(folder) {
  if (!hasProgram("wrk")) return { name: "undici in this process (wrk is not installed)", send: sendFromHere };
  const script = join(folder, "request.lua");
  return { name: "wrk", send: async (request, load) => await sendWithWrk(script, request, load) };
}

async function sendWithWrk(script, { url, headers, body, keys = [] }, { clients, durationMs }) {
  writeFileSync(script, luaOf(headers, body, keys));
  const seconds = Math.max(1, Math.round(durationMs / 1_000));
  const words = ["-t1", `-c${clients}`, `-d${seconds}s`, "--timeout", "30s", "-s", script, url];
  const { stdout } = await run("wrk", words);
  const facts = JSON.parse(/^facts (.*)$/m.exec(stdout)?.[1] ?? "null");
  if (facts === null) throw new Error(`wrk said: ${stdout}`);
  if (facts.broken > 0) throw new Error(`${facts.broken} of ${facts.requests} answers did not arrive`);
  const answered = facts.requests - facts.refused;
  return {
    answered,
    refused: facts.refused / facts.requests,
    speed: answered / (facts.us / 1e6),
    p50: facts.p50 / 1e3,
    p99: facts.p99 / 1e3,
  };
}

function luaOf(headers, body, keys) {
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  return `wrk.method = "POST"
wrk.body = ${JSON.stringify(body)}
${lines.join("\n")}
${keys.length === 0 ? "" : inTurn(keys)}
function done(summary, latency)
  local e = summary.errors
  print(string.format('facts {"requests":%d,"us":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
`;
}

/** One key after the other, a request each. */
function inTurn(keys) {
  return `local keys, turn = {${keys.map((key) => JSON.stringify(key)).join(", ")}}, 0
function request()
  turn = turn % #keys + 1
  wrk.headers["authorization"] = "Bearer " .. keys[turn]
  return wrk.format()
end`;
}

async function sendFromHere({ url, headers, body, keys = [] }, { clients, durationMs }) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: clients });
  const times = [];
  let refused = 0;
  let turn = 0;
  const withKey = () =>
    keys.length === 0 ? headers : { ...headers, authorization: `Bearer ${keys[(turn += 1) % keys.length]}` };
  const speed = await turnsPerSecond(clients, durationMs, async () => {
    const begin = performance.now();
    const answer = await pool.request({ method: "POST", path: pathname, headers: withKey(), body });
    await answer.body.dump();
    if (answer.statusCode >= 300) refused += 1;
    times.push(performance.now() - begin);
  });
  await pool.close();
  const share = refused / times.length;
  return {
    answered: times.length - refused,
    refused: share,
    speed: speed * (1 - share),
    p50: median(times),
    p99: quantile(times, 0.99),
  };
}
