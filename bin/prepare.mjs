// Makes a fresh clone ready: installs what the lockfile says (only when node_modules differs from it), then builds (only
// when dist is not what the sources give).
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isBuilt, noteBuild } from "./build/kept-build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(`${root}/${path}`, "utf8")).packages ?? {};
  } catch {
    return undefined;
  }
}

/** npm notes what it installed in node_modules/.package-lock.json; optional packages of other platforms are not there. */
function installedMatchesLockfile() {
  const wanted = readPackages("package-lock.json");
  const installed = readPackages("node_modules/.package-lock.json");
  if (wanted === undefined || installed === undefined) return false;
  const same = (path) => wanted[path]?.version === installed[path]?.version;
  const nothingMissing = Object.keys(wanted).every((path) => path === "" || wanted[path].optional || same(path));
  return nothingMissing && Object.keys(installed).every(same);
}

function run(what, command, ...args) {
  process.stderr.write(`mkt: ${what}\n`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (error !== undefined) process.stderr.write(`mkt: ${command} could not be started: ${error.message}\n`);
  if (status !== 0) process.exit(status ?? 1);
}

if (installedMatchesLockfile()) {
  process.stderr.write("mkt: packages are as the lockfile says\n");
} else {
  run(
    "installing the packages of the lockfile (npm ci)",
    "npm",
    "ci",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
  );
}
if (isBuilt(root)) {
  process.stderr.write("mkt: dist is built of these sources\n");
} else {
  run("building (tsup)", process.execPath, `${root}/node_modules/tsup/dist/cli-default.js`);
  noteBuild(root);
}
