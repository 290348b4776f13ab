// Makes the package out of what is committed: `npm run pack`. A bare `npm pack` refuses, since package.json here has no
// version; whether npm would run scripts plays no part.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const usage = "npm run pack -- [--pack-destination <folder>]";

/** The contents of the package beside its package.json, and what is left out of them. */
const parts = ["dist", "docs", "README.md", "CHANGELOG.md", "LICENSE"];
const isLeftOut = (path) =>
  path.endsWith(".map") ||
  [join("docs", "decisions"), join("docs", "console"), join("dist", "compiled"), join("dist", "built-of.json")].some(
    (part) => path.endsWith(part),
  );

function refuse(message) {
  process.stderr.write(`mkt: ${message}\n`);
  process.exit(1);
}

function run(command, args, options = {}) {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  if (error !== undefined) refuse(`${command} could not be started: ${error.message}`);
  if (status !== 0) refuse(`${command} ${args.join(" ")} ended with ${status}`);
  return stdout;
}

function destinationOf(words) {
  if (words.length === 0) return root;
  const [name, folder, ...rest] = words;
  if (name !== "--pack-destination" || folder === undefined || rest.length > 0) refuse(usage);
  return resolve(folder);
}

function refuseUncommitted() {
  if (!existsSync(join(root, ".git"))) refuse("this is no git checkout, and a package is made of what is committed");
  const changes = run("git", ["status", "--porcelain"]).trimEnd();
  if (changes !== "") refuse(`a package is made of what is committed; commit or take back:\n${changes}`);
}

/** The folder that npm packs; everything is checked to be there. */
function stage(folder) {
  for (const part of parts) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !isLeftOut(path) });
  }
  cpSync(join(root, "published-package.json"), join(folder, "package.json"));
  const { bin, exports, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const client = exports["./client"];
  const named = [...Object.values(bin), client.types, client.default, "dist/daemon.cjs", "dist/build.json"];
  const missing = named.filter((path) => !existsSync(join(folder, path)));
  if (missing.length > 0) refuse(`the build made no ${missing.join(", ")}`);
  const built = JSON.parse(readFileSync(join(folder, "dist/build.json"), "utf8"));
  if (built.version !== version) refuse(`the build is ${built.version}, and the package would be ${version}`);
}

const destination = destinationOf(process.argv.slice(2));
refuseUncommitted();
run(process.execPath, ["bin/prepare.mjs"]);
const folder = mkdtempSync(join(tmpdir(), "mkt-package-"));
try {
  stage(folder);
  mkdirSync(destination, { recursive: true });
  const packing = ["pack", "--json", "--ignore-scripts", "--pack-destination", destination];
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(run("npm", packing, { cwd: folder }));
  process.stderr.write(
    `mkt: ${entryCount} files, ${(size / 1e6).toFixed(1)} MB packed, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked\n`,
  );
  process.stdout.write(`${join(destination, filename)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
