// Asks /health so often, from a process of its own, until its stdin ends; then prints the times in ms as one JSON line:
// `node health-probe.mjs URL EVERY_MS`. `late` is how long this process itself was kept waiting: what the machine is like.
import { request } from "node:http";

const [url, every = "20"] = process.argv.slice(2);
const everyMs = Number(every);
const [times, late] = [[], []];
const failures = [];
let due = performance.now() + everyMs;

function probe() {
  const begin = performance.now();
  late.push(Math.max(0, begin - due));
  due = begin + everyMs;
  // A connection each: whoever looks whether it lives comes anew.
  const asked = request(`${url}/health`, { agent: false }, (answer) => {
    answer.resume();
    answer.once("end", () => {
      if (answer.statusCode !== 200) failures.push(String(answer.statusCode));
      times.push(performance.now() - begin);
    });
  });
  asked.once("error", (error) => failures.push(error.message));
  asked.end();
}

function quantiles(values) {
  const sorted = values.sort((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), slowest: sorted.at(-1) ?? 0 };
}

const timer = setInterval(probe, everyMs);
process.stdin.resume();
process.stdin.once("end", () => {
  clearInterval(timer);
  const figures = { asked: times.length, failures: failures.slice(0, 10), ...quantiles(times), late: quantiles(late) };
  process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
});
