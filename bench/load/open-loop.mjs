// Requests at a rate that does not wait for answers, from a process of its own. Takes its plan as one JSON line on stdin
// (`{url, keys, rate, seconds, connections}`) and prints one with what came of it.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { quantile } from "../measure.mjs";

const [line] = await once(createInterface({ input: process.stdin }), "line");
const { url, keys, rate, seconds, connections } = JSON.parse(line);
const { hostname, port, host } = new URL(url);

const idle = [];
let open = 0;
const figures = { due: 0, sent: 0, noConnection: 0, dropped: 0, statuses: {}, refusedWithoutDelay: 0 };
/** Ids of the runs that were answered as taken, by the key that they were asked with. */
const acknowledged = keys.map(() => []);
const [tookMs, refusedMs] = [[], []];

/** Seven of ten are runs, two are searches without a key, one is a list. */
const requests = keys.map((key) => {
  const run = JSON.stringify({ provider: "instant", endpoint: "/now" });
  const search = JSON.stringify({ q: "the weather now" });
  const bearer = `Authorization: Bearer ${key}`;
  return [
    ...Array(7).fill(bytesOf("POST", "/v1/run", [bearer], run)),
    ...Array(2).fill(bytesOf("POST", "/public/v1/discover/endpoints", [], search)),
    bytesOf("GET", "/v1/runs?limit=10", [bearer]),
  ];
});

function bytesOf(method, path, headers, body) {
  const more = body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`];
  return Buffer.from([`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers, ...more, "", body ?? ""].join("\r\n"));
}

function openConnection() {
  const socket = connect(Number(port), hostname);
  const connection = { socket, text: "", asked: undefined };
  open += 1;
  socket.setNoDelay(true);
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    connection.text += chunk;
    const answer = takeAnswer(connection);
    if (answer !== undefined) answered(connection, answer);
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    open -= 1;
    if (connection.asked !== undefined) figures.dropped += 1;
    connection.asked = undefined;
    connection.gone = true;
  });
  return connection;
}

function takeAnswer(connection) {
  const { text } = connection;
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = text.slice(0, end).toLowerCase();
  const length = Number(/\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
  if (text.length < end + 4 + length) return undefined;
  connection.text = "";
  return {
    status: Number(text.slice(9, 12)),
    body: text.slice(end + 4),
    last: head.includes("\nconnection: close"),
    head,
  };
}

function answered(connection, { status, body, last, head }) {
  if (connection.asked === undefined) return;
  const { dueMs, caller } = connection.asked;
  connection.asked = undefined;
  const ms = performance.now() - dueMs;
  figures.statuses[status] = (figures.statuses[status] ?? 0) + 1;
  if (status < 300) {
    tookMs.push(ms);
    const runId = /^\{"runId":"(\w+)"/.exec(body)?.[1];
    if (runId !== undefined) acknowledged[caller].push(runId);
  } else {
    refusedMs.push(ms);
    if ((status === 429 || status === 503) && !head.includes("\nretry-after: ")) figures.refusedWithoutDelay += 1;
  }
  if (last) connection.socket.end();
  else idle.push(connection);
}

function send(nth, dueMs) {
  figures.due += 1;
  let connection = idle.pop();
  while (connection?.gone === true) connection = idle.pop();
  if (connection === undefined && open < connections) connection = openConnection();
  // Whoever asks has no more of them either: it is counted, since it was not taken.
  if (connection === undefined) return void (figures.noConnection += 1);
  const caller = nth % keys.length;
  connection.asked = { dueMs, caller };
  connection.socket.write(requests[caller][Math.floor(nth / keys.length) % 10]);
  figures.sent += 1;
}

const begin = performance.now();
await new Promise((resolve) => {
  const timer = setInterval(() => {
    const now = performance.now();
    const due = Math.floor((Math.min(now - begin, seconds * 1_000) / 1_000) * rate);
    for (let nth = figures.due; nth < due; nth += 1) send(nth, Math.max(begin + (nth / rate) * 1_000, now - 5));
    if (now - begin >= seconds * 1_000) {
      clearInterval(timer);
      resolve();
    }
  }, 5);
});
const lastMs = performance.now();
// What is under way is still answered.
await new Promise((resolve) => setTimeout(resolve, 3_000));
const result = {
  ...figures,
  seconds: (lastMs - begin) / 1_000,
  taken: {
    count: tookMs.length,
    p50: quantile(tookMs, 0.5),
    p99: quantile(tookMs, 0.99),
    slowest: quantile(tookMs, 1),
  },
  refused: { count: refusedMs.length, p99: quantile(refusedMs, 0.99) },
  acknowledged,
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
