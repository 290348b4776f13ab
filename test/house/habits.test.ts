import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { tempDir } from "../support/temp-dir.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { scripts, engines } = JSON.parse(read("package.json")) as {
  scripts: Record<string, string>;
  engines: { node: string };
};

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ".ci/run",
  ".github/workflows/check.yml",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Scripts that a text tells to run; what npm itself does (`npm install`, `npm ci`) is none of ours. */
function namedScripts(text: string): string[] {
  const named = [...text.matchAll(/\bnpm (?:run )(?:--silent )?([\w:-]+)/g)].map(([, name = ""]) => name);
  return /\bnpm test\b/.test(text) ? [...named, "test"] : named;
}

/** `daemon/catalog/check-*.ts` is there when a file of the folder fits. */
function isThere(path: string): boolean {
  if (!path.includes("*")) return existsSync(join(root, path));
  const folder = dirname(path);
  const pattern = new RegExp(
    `^${path
      .slice(folder.length + 1)
      .replaceAll(".", "\\.")
      .replaceAll("*", ".*")}$`,
  );
  return existsSync(join(root, folder)) && readdirSync(join(root, folder)).some((name) => pattern.test(name));
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => !path.includes("node_modules"))
    .map((path) => `${folder}/${path}`);
}

test.each(PAGES)("%s names only scripts that there are", (page) => {
  const missing = namedScripts(read(page)).filter((name) => scripts[name] === undefined);

  expect(missing).toEqual([]);
});

test("CONTRIBUTING.md names only files and folders that there are", () => {
  const paths = [
    ...read("CONTRIBUTING.md").matchAll(/`((?:daemon|cli|shared|bin|test|bench|docs|catalog)\/[\w./*-]*)`/g),
  ];
  const missing = paths.map(([, path = ""]) => path).filter((path) => !isThere(path));

  expect(paths.length).toBeGreaterThan(40);
  expect(missing).toEqual([]);
});

test.each(["docs/architecture.md", "docs/discovery.md"])("%s names only source files that there are", (page) => {
  const sources = ["daemon", "cli", "shared", "bin", "test", "bench"].flatMap((folder) => filesBelow(folder));
  const named = [...read(page).matchAll(/(?<![\w./-])(?:[\w-]+\/)+[\w-]+\.(?:ts|tsx|mjs)\b/g)].map(([path]) => path);
  const missing = named.filter((path) => !sources.some((source) => `/${source}`.endsWith(`/${path}`)));

  expect(named.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

test("`npm run check` asks for types, lint, format and tests", () => {
  const asked = scripts.check?.split(" && ");

  expect(asked).toEqual(["npm run typecheck", "npm run lint", "npm run format:check", "npm test"]);
  expect(scripts["format:check"]).toBe("oxfmt --check");
});

test("the hosted workflow runs the same checks, on the oldest Node that is supported and on the newer ones", () => {
  const workflow = parse(read(".github/workflows/check.yml"));
  const { strategy, steps } = workflow.jobs.check;
  const commands = steps.map(({ run }: { run?: string }) => run).filter((run?: string) => run !== undefined);
  const actions = steps.map(({ uses }: { uses?: string }) => uses).filter((uses?: string) => uses !== undefined);

  expect(commands).toEqual([".ci/install-tools", "npm ci", ".ci/install-mcp-clients", "npm run check"]);
  expect(strategy.matrix.node).toEqual(["20.19", "22", "24", "26"]);
  expect(engines.node).toBe(`>=${strategy.matrix.node[0]}`);
  expect(strategy.matrix.os.map((name: string) => name.split("-")[0])).toEqual(["ubuntu", "macos"]);
  // A tag can be moved to other code; a commit cannot.
  expect(actions).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)));
});

/** A repository with our hooks, formatter and linter, and with one file that is staged. */
function repositoryWith(text: string) {
  const folder = tempDir();
  for (const path of [".githooks", ".oxfmtrc.json"]) {
    cpSync(join(root, path), join(folder.path, path), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder.path, "node_modules"));
  writeFileSync(join(folder.path, ".gitignore"), "node_modules\n");
  writeFileSync(
    join(folder.path, "package.json"),
    JSON.stringify({ private: true, scripts: { lint: "oxlint --deny-warnings" } }),
  );
  writeFileSync(join(folder.path, "staged.ts"), text);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder.path, stdio: "pipe" });
  git("init", "--quiet");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  execFileSync("sh", ["-c", scripts.hooks ?? ""], { cwd: folder.path, stdio: "pipe" });
  git("add", "staged.ts");
  const commit = (message: string) =>
    spawnSync("git", ["commit", "-m", message], { cwd: folder.path, encoding: "utf8" });
  return { commit, [Symbol.dispose]: folder[Symbol.dispose] };
}

const FINE = "export const answer = 42;\n";
const SUBJECT = "runs: keep the deadline across a restart";

test("the hooks let a commit through that is in order", () => {
  using repository = repositoryWith(FINE);

  const { status, stderr } = repository.commit(`${SUBJECT}\n\nA clock that was set back lost it.`);

  expect(status, stderr).toBe(0);
});

test.each([
  ["a file that the formatter would change", "export const answer   =  42", SUBJECT, "npm run format"],
  ["a file that the linter refuses", "export const answer = 42;\ndebugger;\n", SUBJECT, "no-debugger"],
  ["a subject of more than 72 characters", FINE, "x".repeat(73), "72 is the limit"],
  ["a message whose second line is not empty", FINE, `${SUBJECT}\nand more`, "The second line"],
])("the hooks refuse %s", (_what, text, message, said) => {
  using repository = repositoryWith(text);

  const { status, stdout, stderr } = repository.commit(message);

  expect(status).not.toBe(0);
  expect(stdout + stderr).toContain(said);
});
