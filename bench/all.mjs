// Every benchmark of docs/performance.md and docs/scale.md, one after the other: `npm run bench:all`, or some: `npm run bench:all -- http journal`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** In the order of the sections of the pages. `needs` is what must be installed first, and how. */
const BENCHES = [
  { name: "http", title: "A run over HTTP", words: ["http.mjs"] },
  {
    name: "journal",
    title: "The journal",
    words: ["journal.mjs"],
    needs: { path: "node_modules/better-sqlite3", by: "npm --prefix bench run prepare-sqlite" },
  },
  { name: "connections", title: "Connections", words: ["connections.mjs"] },
  {
    name: "async",
    title: "Runs in flight",
    words: ["async.mjs"],
    needs: { path: "node_modules/p-queue", by: "npm --prefix bench install" },
  },
  { name: "batch", title: "Batches", words: ["batch.mjs"] },
  { name: "million-runs", title: "A million runs", words: ["million-runs.mjs"] },
  { name: "ended-resources", title: "Resources that have ended", words: ["ended-resources.mjs"] },
  { name: "import", title: "Imports", words: ["import.mjs"] },
  { name: "start-up", title: "A call of the command line", words: ["start-up.mjs"] },
  { name: "start", title: "The start of the daemon", words: ["start.mjs"] },
  {
    name: "postgres",
    title: "Several daemons on one PostgreSQL",
    words: ["postgres.mjs"],
    needs: { path: "/usr/lib/postgresql", by: "apt-get install postgresql" },
  },
];

const here = fileURLToPath(new URL(".", import.meta.url));
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(
    `No benchmark is called ${unknown.join(", ")}; there are ${BENCHES.map(({ name }) => name).join(", ")}`,
  );
  process.exit(2);
}

const failed = [];
for (const { name, title, words, needs } of BENCHES) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n## ${title}\n`);
  if (needs !== undefined && !existsSync(resolve(here, needs.path))) {
    console.log(`Left out: it needs ${needs.path}; \`${needs.by}\` installs it.`);
    continue;
  }
  // A benchmark that fails must not keep the others from being measured.
  const { status } = spawnSync(process.execPath, words, { cwd: here, stdio: "inherit" });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`\nThese did not end well: ${failed.join(", ")}`);
  process.exitCode = 1;
}
