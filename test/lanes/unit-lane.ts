import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import slowFiles from "./slow-files.json" with { type: "json" };

/**
 * The unit lane, `npm run test:unit`: files that start no daemon and no other process, and need no build. Nobody lists
 * them; a file belongs by what it imports, itself or through the test's own files, unless it is known to be slow.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));

/** In seconds, on a quiet machine; `slow-files.json` says which files take longer. */
const MOST_SECONDS = 1;

const STARTS_A_DAEMON = /^daemon\/daemon\.ts$/;
const STARTS_A_PROCESS = /^node:(?:child_process|worker_threads|cluster)$/;
const NEEDS_THE_BUILD = /\bdist\/|"dist"/;

const IMPORTS =
  /^(?:import|export)\b(?! type\b)[^;]*?\bfrom\s+"(?<from>[^"]+)"|^import\s+"(?<bare>[^"]+)"|\bimport\("(?<late>[^"]+)"\)/gm;

/** Of all files of tests, those of the lane, as paths from the repository's root. */
export function unitFiles(): string[] {
  return testFiles().filter((file) => whyNotUnit(file) === undefined);
}

/** Why a file is not of the unit lane; undefined where it is. */
export function whyNotUnit(file: string): string | undefined {
  for (const reached of reachedFrom(file)) {
    const { text, imports } = readSource(reached);
    const by = reached === file ? "it" : reached;
    if (imports.some((imported) => STARTS_A_DAEMON.test(imported))) return `${by} starts a daemon`;
    if (imports.some((imported) => STARTS_A_PROCESS.test(imported))) return `${by} starts a process`;
    if (NEEDS_THE_BUILD.test(text)) return `${by} needs the build`;
  }
  const seconds = (slowFiles as Readonly<Record<string, number>>)[file] ?? 0;
  return seconds > MOST_SECONDS ? `it takes ${seconds} s` : undefined;
}

/** Every file of tests, as a path from the repository's root. */
export function testFiles(): string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `test/${name}`)
    .sort();
}

/** A file and, of what it imports and they import, all that is below `test/`. */
function reachedFrom(file: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(file) || !file.startsWith("test/") || !existsSync(join(root, file))) return reached;
  reached.add(file);
  for (const imported of readSource(file).imports) reachedFrom(imported, reached);
  return reached;
}

interface Source {
  readonly text: string;
  /** Packages by name, files as paths from the repository's root. What is imported as a type alone is not there. */
  readonly imports: readonly string[];
}

const sources = new Map<string, Source>();

function readSource(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, file), "utf8");
  const imports = [...text.matchAll(IMPORTS)].map(({ groups }) => {
    const name = groups?.["from"] ?? groups?.["bare"] ?? groups?.["late"] ?? "";
    return name.startsWith(".") ? join(dirname(file), name) : name;
  });
  const source = { text, imports };
  sources.set(file, source);
  return source;
}
