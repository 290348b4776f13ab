// Whether dist/ is the build of these sources, whole and unchanged, so that nobody builds the same again.
// docs/decisions/2026-11-23-a-build-is-kept.md
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** All that a build reads, but for the packages, which the lockfile names. */
const SOURCES = [
  "bin",
  "catalog",
  "cli",
  "console",
  "daemon",
  "shared",
  "package.json",
  "package-lock.json",
  "published-package.json",
  "tsconfig.json",
  "tsup.config.ts",
];
const BUILD = "dist";
/** Beside what was built, so that whoever removes the build removes it too. */
const NOTE = "built-of.json";
/** What a daemon keeps beside the program when it starts is no part of the build. */
const KEPT_BY_DAEMONS = "compiled";

/** Whether the build of the checkout at `root` is there, of its sources as they are. */
export function isBuilt(root) {
  try {
    const { sources, build } = JSON.parse(readFileSync(join(root, BUILD, NOTE), "utf8"));
    return sources === digestOfSources(root) && build === digestOfBuild(root);
  } catch {
    return false;
  }
}

/** After a build: notes what it was made of. */
export function noteBuild(root) {
  const note = { sources: digestOfSources(root), build: digestOfBuild(root) };
  writeFileSync(join(root, BUILD, NOTE), `${JSON.stringify(note)}\n`);
}

function digestOfSources(root) {
  const files = SOURCES.filter((name) => existsSync(join(root, name))).flatMap((name) => filesIn(root, name));
  // Another version of Node may write other texts.
  return digest(root, files, `${process.version} ${process.platform} ${process.arch}`);
}

function digestOfBuild(root) {
  const isOfBuild = (file) => file !== join(BUILD, NOTE) && !file.startsWith(join(BUILD, KEPT_BY_DAEMONS, "/"));
  return digest(root, filesIn(root, BUILD).filter(isOfBuild), "");
}

/** Paths from the root, in an order that is the same everywhere. */
function filesIn(root, name) {
  if (statSync(join(root, name)).isFile()) return [name];
  return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length)
        .replace(/^[/\\]/, ""),
    )
    .sort();
}

function digest(root, files, first) {
  const hash = createHash("sha256").update(first);
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`\n${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
