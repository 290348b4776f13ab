// What an import of OpenAPI documents takes, each in a process of its own: `node import.mjs [--folder DIR] [--whole] [FILE…]`.
// Without files: the documents of ../../shared/openapi-samples. --whole: the folder in one import, as a person would.
import { spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, printTable, withFolder } from "./measure.mjs";

const program = fileURLToPath(new URL("../dist/mkt.js", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: "string" }, whole: { type: "boolean" } },
});
const folder = values.folder ?? fileURLToPath(new URL("../../shared/openapi-samples", import.meta.url));
const MOST_SHOWN = 12;

// The main thread tells what the process took, on a stream of its own: the only place where its peak of memory is known.
const tellUsage = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; import { isMainThread } from "node:worker_threads";' +
    'if (isMainThread) process.on("exit", () => writeSync(3, JSON.stringify(process.resourceUsage())));',
)}`;

async function importOf(source) {
  return await withFolder(async (out) => {
    const startedAt = performance.now();
    const words = [program, "catalog", "import", source, "--out", out, "--all-operations", "--json"];
    const child = spawn(process.execPath, ["--import", tellUsage, ...words], {
      stdio: ["ignore", "pipe", "inherit", "pipe"],
      env: { ...process.env, MKT_CONFIG_DIR: out, MKT_DATA_DIR: out },
    });
    const [stdout, usage] = await Promise.all([child.stdout, child.stdio[3]].map(textOf));
    const { documents } = JSON.parse(stdout);
    const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(usage);
    return {
      name: basename(source),
      documents: documents.length,
      imported: documents.filter(({ error }) => error === undefined).length,
      endpoints: documents.reduce((sum, { endpoints }) => sum + endpoints, 0),
      rule: documents.length === 1 ? (documents[0].error?.rule ?? "") : "",
      seconds: (performance.now() - startedAt) / 1_000,
      cpuSeconds: (userCPUTime + systemCPUTime) / 1_000_000,
      megabytes: maxRSS / 1_000,
    };
  });
}

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function rowOf({ name, endpoints, seconds, cpuSeconds, megabytes, rule }) {
  return [name, endpoints, seconds.toFixed(2), cpuSeconds.toFixed(2), Math.round(megabytes), rule];
}

const head = ["", "endpoints", "seconds", "of CPU", "MB", "refused"];
if (values.whole) {
  const whole = await importOf(folder);
  console.log(`${whole.imported} of ${whole.documents} documents below ${basename(folder)}, in one import\n`);
  printTable([head, rowOf(whole)]);
} else {
  const names = readdirSync(folder).filter((name) => /^\.(json|ya?ml)$/.test(extname(name)) && name !== "index.json");
  const files = positionals.length > 0 ? positionals : names.map((name) => join(folder, name));
  const results = [];
  for (const file of files.filter((path) => statSync(path).isFile())) results.push(await importOf(file));
  results.sort((one, other) => other.seconds - one.seconds);
  const all = (name) => results.map((result) => result[name]);
  console.log(
    `${results.length} documents, each in a process of its own. Seconds: median ${median(all("seconds")).toFixed(2)}, ` +
      `most ${Math.max(...all("seconds")).toFixed(2)}; MB: median ${Math.round(median(all("megabytes")))}, ` +
      `most ${Math.round(Math.max(...all("megabytes")))}. The slowest:\n`,
  );
  printTable([head, ...results.slice(0, MOST_SHOWN).map(rowOf)]);
}
