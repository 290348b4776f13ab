// What an import of OpenAPI documents takes, each in a call of its own: `node import.mjs [--folder DIR] [--whole] [FILE…]`.
// Without files: the documents of ../../shared/openapi-samples. --whole: the folder in one import, as a person would.
// Beside each: the bare limit, which is a Node process that only parses the same document, with JSON.parse or `yaml`.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, printTable, withFolder } from "./measure.mjs";

const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));
const yaml = new URL("../node_modules/yaml/dist/index.js", import.meta.url).href;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: "string" }, whole: { type: "boolean" } },
});
const folder = values.folder ?? fileURLToPath(new URL("../../shared/openapi-samples", import.meta.url));
const MOST_SHOWN = 12;
const LOOK_EVERY_MS = 10;
/** Of `/proc`: hundredths of a second. */
const TICKS_PER_SECOND = 100;
/** Smaller documents cost what a start costs. */
const LEAST_BYTES_FOR_EXPONENT = 100_000;

// The main thread tells what the process took, on a stream of its own: the only place where its peak of memory is known.
const tellUsage = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; import { isMainThread } from "node:worker_threads";' +
    'if (isMainThread) process.on("exit", () => writeSync(3, JSON.stringify(process.resourceUsage())));',
)}`;

// Documents that are no strict JSON are read as YAML, by an import too.
const parseAlone = `
  const text = require("node:fs").readFileSync(process.argv[1], "utf8");
  const readYaml = async () => (await import(${JSON.stringify(yaml)})).default.parse(text, { uniqueKeys: false });
  (async () => { try { /^\\s*[[{]/.test(text) ? JSON.parse(text) : await readYaml(); } catch { await readYaml().catch(() => {}); } })();
`;

async function importOf(source) {
  return await withFolder(async (out) => {
    const words = [program, "catalog", "import", source, "--out", out, "--all-operations", "--json"];
    const { stdout, ...cost } = await costOf(words, { ...process.env, MKT_CONFIG_DIR: out, MKT_DATA_DIR: out });
    const { documents } = JSON.parse(stdout);
    return {
      name: basename(source),
      documents: documents.length,
      imported: documents.filter(({ error }) => error === undefined).length,
      endpoints: documents.reduce((sum, { endpoints }) => sum + endpoints, 0),
      rule: documents.length === 1 ? (documents[0].error?.rule ?? "") : "",
      ...cost,
    };
  });
}

/** The command and the process that it starts to read the document; their processor time together, the larger peak. */
async function costOf(words, env) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["--import", tellUsage, ...words], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
    env,
  });
  const reader = watchReader(child.pid);
  const [stdout, usage] = await Promise.all([child.stdout, child.stdio[3]].map(textOf));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(usage);
  const { cpuSeconds, megabytes } = reader();
  return {
    stdout,
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1_000_000 + cpuSeconds,
    megabytes: Math.max(maxRSS / 1_000, megabytes),
  };
}

/** What the child of a process took until the last look; nothing on systems without `/proc`. */
function watchReader(parent) {
  const found = { cpuSeconds: 0, megabytes: 0 };
  const look = () => {
    try {
      for (const pid of readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ").filter(Boolean)) {
        const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, "utf8")
          .split(") ")[1]
          .split(" ");
        const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0;
        found.cpuSeconds = Math.max(found.cpuSeconds, (Number(user) + Number(system)) / TICKS_PER_SECOND);
        found.megabytes = Math.max(found.megabytes, Number(peak) / 1_000);
      }
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return found;
  };
}

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function withLimit(file) {
  const limit = await costOf(["--eval", parseAlone, file], process.env);
  return { bytes: statSync(file).size, limit, ...(await importOf(file)) };
}

/** The slope of the least squares of log(time) over log(size): 1 is linear. */
function exponentOf(results) {
  const points = results.map(({ bytes, cpuSeconds }) => [Math.log(bytes), Math.log(cpuSeconds)]);
  const mean = (index) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

function rowOf({ name, bytes, endpoints, seconds, cpuSeconds, megabytes, limit, rule }) {
  return [
    name,
    bytes === undefined ? "" : Math.round(bytes / 1_000),
    endpoints,
    seconds.toFixed(2),
    cpuSeconds.toFixed(2),
    Math.round(megabytes),
    ...(limit === undefined ? ["", "", ""] : limitCells(limit, { seconds, cpuSeconds })),
    rule,
  ];
}

function limitCells(limit, { cpuSeconds }) {
  return [limit.cpuSeconds.toFixed(2), Math.round(limit.megabytes), (cpuSeconds / limit.cpuSeconds).toFixed(1)];
}

const head = ["", "KB", "endpoints", "seconds", "of CPU", "MB", "parse: CPU", "MB", "CPU ratio", "refused"];
if (values.whole) {
  const whole = await importOf(folder);
  console.log(`${whole.imported} of ${whole.documents} documents below ${basename(folder)}, in one import\n`);
  printTable([head, rowOf(whole)]);
} else {
  const names = readdirSync(folder).filter((name) => /^\.(json|ya?ml)$/.test(extname(name)) && name !== "index.json");
  const files = positionals.length > 0 ? positionals : names.map((name) => join(folder, name));
  const results = [];
  for (const file of files.filter((path) => statSync(path).isFile())) results.push(await withLimit(file));
  results.sort((one, other) => other.cpuSeconds - one.cpuSeconds);
  const all = (name) => results.map((result) => result[name]);
  console.log(
    `${results.length} documents, each in a call of its own. Seconds: median ${median(all("seconds")).toFixed(2)}, ` +
      `most ${Math.max(...all("seconds")).toFixed(2)}; MB: median ${Math.round(median(all("megabytes")))}, ` +
      `most ${Math.round(Math.max(...all("megabytes")))}.`,
  );
  const large = results.filter(({ bytes, rule }) => bytes >= LEAST_BYTES_FOR_EXPONENT && rule === "");
  if (large.length > 2)
    console.log(`CPU time over size, of ${large.length} documents: exponent ${exponentOf(large).toFixed(2)}.`);
  console.log("Those that take the most processor time:\n");
  printTable([head, ...results.slice(0, MOST_SHOWN).map(rowOf)]);
}
