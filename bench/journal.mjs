// Durable runs per second, two records each, of the journal and of what it is compared to: `node journal.mjs`.
import { importBundled } from "./bundle.mjs";
import { batchedSqlite, groupCommit, journal, lowdb, sqlite } from "./contenders.mjs";
import { median, printTable, setting, turnsPerSecond, withFolder } from "./measure.mjs";

const ROUNDS = setting("MKT_BENCH_ROUNDS", 5);
const DURATION_MS = setting("MKT_BENCH_MS", 1_000);
const CLIENTS = [1, 16, 64, 256];
const LOWDB_RUNS = 1_000;

const stores = await importBundled("stores");
const Database = await findSqlite();
const contenders = {
  journal: journal(stores, { flushes: true }),
  ...(Database !== undefined && { sqlite: sqlite(Database), "sqlite, batched": batchedSqlite(Database) }),
  "group commit alone": groupCommit(),
  "journal, no fdatasync": journal(stores, { flushes: false }),
  lowdb: lowdb(stores, LOWDB_RUNS),
};
if (Database === undefined) console.log("better-sqlite3 is not built: npm run prepare-sqlite\n");

const results = new Map();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const clients of CLIENTS) {
    for (const [name, open] of Object.entries(contenders)) {
      const key = `${name} ${clients}`;
      results.set(key, [...(results.get(key) ?? []), await measure(open, clients)]);
    }
  }
}
const speed = (name, clients) => median(results.get(`${name} ${clients}`) ?? [NaN]);

console.log(
  `Durable runs per second, two records of about ${recordBytes()} bytes each; median of ${ROUNDS} interleaved rounds\n`,
);
printTable([
  ["clients", ...CLIENTS],
  ...Object.keys(contenders).map((name) => [name, ...CLIENTS.map((clients) => Math.round(speed(name, clients)))]),
]);
console.log("\nThe journal's speed as a multiple of\n");
printTable([
  ["clients", ...CLIENTS, "aim"],
  ratios("sqlite", "1 at 1, 2 at 64"),
  ratios("sqlite, batched", ""),
  ratios("group commit alone", "0.9 at 64"),
  ratios("lowdb", ""),
  ratios("journal, no fdatasync", "0.7 at 64"),
]);

/** Undefined when it was not installed, or not built. */
async function findSqlite() {
  try {
    const { default: found } = await import("better-sqlite3");
    new found(":memory:").close();
    return found;
  } catch {
    return undefined;
  }
}

async function measure(open, clients) {
  return await withFolder(async (folder) => {
    const contender = await open(folder);
    let runs = 0;
    const perSecond = await turnsPerSecond(clients, DURATION_MS, async () => {
      const runId = `run-${String((runs += 1)).padStart(20, "0")}`;
      await contender.keep(stores.acceptedLine(runId));
      await contender.keep(stores.doneLine(runId));
    });
    await contender.close();
    return perSecond;
  });
}

function ratios(name, aim) {
  return [name, ...CLIENTS.map((clients) => (speed("journal", clients) / speed(name, clients)).toFixed(2)), aim];
}

function recordBytes() {
  const lines = [stores.acceptedLine("run-00000000000000000001"), stores.doneLine("run-00000000000000000001")];
  return Math.round(lines.reduce((sum, line) => sum + JSON.stringify(line).length, 0) / lines.length);
}
