// Was every version in the lockfile at least seven days old when it was locked? `npm run packages:age [-- package…]`;
// the registry is asked by npm. docs/security.md, T29: what is stolen and published is mostly found within days.
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const LEAST_DAYS = 7;
const DAY_MS = 86_400_000;
/** How many packages npm is asked about at the same time. */
const AT_ONCE = 4;
const run = promisify(execFile);
const folder = process.cwd();
const named = process.argv.slice(2);

/** Of each version, when its hash first stood in the lockfile: the day of that commit, or now. */
function lockedDates() {
  const dates = new Map();
  const log = ["log", "--reverse", "--format=commit %cI", "--patch", "--unified=0", "--", "package-lock.json"];
  let date = new Date();
  for (const line of execFileSync("git", log, { cwd: folder, encoding: "utf8", maxBuffer: 1e9 }).split("\n")) {
    if (line.startsWith("commit ")) date = new Date(line.slice("commit ".length));
    const [, integrity] = /^\+\s+"integrity": "([^"]+)"/.exec(line) ?? [];
    if (integrity !== undefined && !dates.has(integrity)) dates.set(integrity, date);
  }
  return (integrity) => dates.get(integrity) ?? new Date();
}

/** Each version of a package once, wherever it is installed. */
function lockedVersions() {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const versions = new Map();
  for (const [path, { name, version, integrity, link }] of Object.entries(packages)) {
    if (path === "" || link === true) continue;
    const own = name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    if (named.length === 0 || named.includes(own)) versions.set(`${own}@${version}`, { name: own, version, integrity });
  }
  return [...versions.values()];
}

async function publishedTimes(name) {
  const words = ["view", name, "time", "--json", "--fetch-retries=0", "--fetch-timeout=15000"];
  try {
    return JSON.parse((await run("npm", words, { cwd: folder, maxBuffer: 1e8 })).stdout);
  } catch (error) {
    const why = /npm error code (\w+)/.exec(error.stderr ?? "")?.[1] ?? String(error.message).split("\n")[0];
    throw new Error(`npm could not tell of ${name}: ${why}`, { cause: error });
  }
}

const versions = lockedVersions();
const dateOf = lockedDates();
const [young, unknown] = [[], []];
const names = [...new Set(versions.map(({ name }) => name))];

/** The first package is asked about alone: if that fails, there is no network, and the others need not be tried. */
async function lookAt(name) {
  const times = await publishedTimes(name);
  for (const { version, integrity } of versions.filter((one) => one.name === name)) {
    if (times[version] === undefined) {
      unknown.push(`${name}@${version} is not told of by the registry`);
      continue;
    }
    const days = (dateOf(integrity) - new Date(times[version])) / DAY_MS;
    if (days < LEAST_DAYS) young.push(`${name}@${version} was ${days.toFixed(1)} days old when it was locked`);
  }
}

const [first, ...others] = names;
if (first === undefined) {
  console.error(`mkt: no such package in the lockfile: ${named.join(", ")}`);
  process.exit(1);
}
try {
  await lookAt(first);
} catch (error) {
  console.log(`Skipped: ${error.message}`);
  process.exit(0);
}
const todo = others.values();
const failures = [];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const name of todo) await lookAt(name).catch((error) => failures.push(error.message));
  }),
);
const wrong = [...young, ...unknown, ...failures].toSorted();
for (const line of wrong) console.log(line);
console.log(
  wrong.length === 0
    ? `${versions.length} versions of ${names.length} packages were ${LEAST_DAYS} days old or more when they were locked.`
    : `${wrong.length} of ${versions.length} versions are not as they must be.`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
