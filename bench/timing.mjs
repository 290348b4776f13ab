// Whether the time of an answer tells what exists: `node timing.mjs`. Pairs of requests that must not be told apart, in turn.
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { Client } from "undici";
import { startDaemon } from "./built-daemon.mjs";
import { median, printTable, setting, withFolder } from "./measure.mjs";

const REQUESTS = setting("MKT_BENCH_REQUESTS", 5_000);
/** A source may fail with so many keys in a minute before it is told 429; each here sends fewer. */
const OF_A_SOURCE = 500;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A key that was never issued, well formed down to its check digits. */
function unknownKey() {
  const secret = toDigits(BigInt(`0x${randomBytes(32).toString("hex")}`), 43);
  return `mkt_live_${secret}${toDigits(BigInt(crc32(`live_${secret}`)), 6)}`;
}

function toDigits(value, width) {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = `${DIGITS[Number(rest % 62n)]}${text}`;
  return text.padStart(width, "0");
}

/** The two-sided p of Mann and Whitney's test, by the normal approximation: are the one's times longer or shorter than the other's? */
function mannWhitney(one, other) {
  const sorted = [...one.map((ms) => [ms, true]), ...other.map((ms) => [ms, false])].sort(([a], [b]) => a - b);
  let [ranks, ties] = [0, 0];
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (to < sorted.length && sorted[to][0] === sorted[from][0]) to += 1;
    const [rank, equal] = [(from + to + 1) / 2, to - from];
    ties += equal ** 3 - equal;
    for (let at = from; at < to; at += 1) if (sorted[at][1]) ranks += rank;
    from = to;
  }
  const [m, n, all] = [one.length, other.length, sorted.length];
  const u = ranks - (m * (m + 1)) / 2;
  const deviation = Math.sqrt(((m * n) / 12) * (all + 1 - ties / (all * (all - 1))));
  return 2 * (1 - normal(Math.abs(u - (m * n) / 2) / deviation));
}

/** The standard normal distribution (Abramowitz and Stegun, 26.2.17); wrong by less than 1e-7. */
function normal(z) {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
}

await withFolder(async (folder) => {
  const daemon = await startDaemon(folder);
  const owner = new Client(daemon.url);
  const ask = async (method, path, body, key = daemon.key) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
    const answer = await owner.request({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    return JSON.parse((await answer.body.text()) || "{}");
  };
  const { key: revoked } = await ask("POST", "/v1/api-keys", { label: "gone" });
  await ask("POST", "/v1/api-keys/gone/revoke");
  const { workspaceId } = await ask("POST", "/v1/admin/workspaces", { name: "Neighbour" });
  const { key: neighbour } = await ask("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "theirs" });
  const run = { provider: "atlas", endpoint: "/sun", input: { latitude: 38.7, longitude: -9.1 } };
  const { runId } = await ask("POST", "/v1/run", run);
  const limitAmount = { value: 5, unit: "DOLLAR", currency: "USD" };
  const { budgetControlId } = await ask("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount });
  const nobodys = createHash("sha256")
    .update(runId)
    .digest("hex")
    .toUpperCase()
    .replaceAll(/[ILOU]/g, "A");
  const unknownId = `${runId.slice(0, 10)}${nobodys.slice(0, 16)}`;

  let source = 0;
  let client;
  /** Milliseconds of one answer; the status must be the one that is expected. */
  const time = async (key, path, status) => {
    if (source++ % OF_A_SOURCE === 0) {
      await client?.close();
      const number = Math.ceil(source / OF_A_SOURCE);
      client = new Client(daemon.url, { localAddress: `127.0.${1 + Math.floor(number / 250)}.${1 + (number % 250)}` });
    }
    const begin = performance.now();
    const answer = await client.request({ method: "GET", path, headers: { authorization: `Bearer ${key}` } });
    await answer.body.text();
    if (answer.statusCode !== status) throw new Error(`${path} answered ${answer.statusCode}`);
    return performance.now() - begin;
  };
  const unknown = unknownKey();
  const whoami = (key) => () => time(key, "/v1/auth/whoami", 401);
  const foreign = (path) => () => time(neighbour, path, 404);
  const pairs = [
    ["a revoked key", "an unknown key", whoami(revoked), whoami(unknown)],
    ["a malformed key", "an unknown key", whoami(`${unknown.slice(0, -1)}_`), whoami(unknown)],
    ["another's run", "an unknown run", foreign(`/v1/runs/${runId}`), foreign(`/v1/runs/${unknownId}`)],
    [
      "another's budget",
      "an unknown budget",
      foreign(`/v1/controls/workspace/budgets/${budgetControlId}`),
      foreign(`/v1/controls/workspace/budgets/${unknownId}`),
    ],
    ["an unknown key", "an unknown key", whoami(unknown), whoami(unknownKey())],
  ];
  const rows = [];
  for (const [left, right, one, other] of pairs) {
    const [lefts, rights] = [[], []];
    for (let warm = 0; warm < 500; warm += 1) await (warm % 2 === 0 ? one() : other());
    for (let turn = 0; turn < REQUESTS; turn += 1) {
      // By chance which comes first, so that what recurs in the machine falls on both.
      if (Math.random() < 0.5) {
        lefts.push(await one());
        rights.push(await other());
      } else {
        rights.push(await other());
        lefts.push(await one());
      }
    }
    const [a, b] = [median(lefts), median(rights)];
    const differs = (100 * Math.abs(a - b)) / Math.max(a, b);
    const p = mannWhitney(lefts, rights);
    const verdict = differs < 5 || p > 0.01 ? "cannot be told" : "CAN BE TOLD";
    rows.push([`${left}, ${right}`, a.toFixed(3), b.toFixed(3), `${differs.toFixed(1)} %`, p.toFixed(4), verdict]);
  }
  await client.close();
  await owner.close();
  await daemon.stop();
  console.log(
    `${REQUESTS} requests each, in turn; medians in milliseconds. To be told apart takes 5 % and p below 0.01.\n`,
  );
  printTable([["", "first", "second", "differ by", "Mann-Whitney p", ""], ...rows]);
});
