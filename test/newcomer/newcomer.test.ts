import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyEnvironment } from "../support/empty-environment.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = new URL("../..", import.meta.url).pathname;
const HANG_MS = 240_000;

/** Why this machine cannot play the newcomer; undefined when it can. */
function whyNot(): string | undefined {
  for (const tool of ["git", "bash", "npm", "jq", "curl"]) {
    if (spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0) return `${tool} is not installed`;
  }
  return existsSync(join(root, ".git")) ? undefined : "this is no git checkout";
}

const reason = whyNot();
if (reason !== undefined) process.stderr.write(`newcomer test skipped: ${reason}\n`);

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(reason !== undefined)("a newcomer with a fresh clone and an empty environment", () => {
  const folder = tempDir("mkt-newcomer-");
  const clone = join(folder.path, "mkt");
  let environment: Record<string, string>;

  beforeAll(async () => {
    copyWhatGitHolds(clone);
    environment = await emptyEnvironment(join(folder.path, "home"));
  });

  // Thousands of files; on a busy machine that takes its time.
  afterAll(() => folder[Symbol.dispose](), HANG_MS);

  async function inClone(command: string, args: readonly string[]): Promise<Ended> {
    const child = spawn(command, args, { cwd: clone, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    const read = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (read.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (read.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...read };
  }

  it(
    "sees the whole market with npm run demo, in at most 60 lines",
    async () => {
      const { code, stdout, stderr } = await inClone("npm", ["run", "demo"]);

      expect(code, stderr).toBe(0);
      expect(`${stdout}${stderr}`.trim().split("\n").length).toBeLessThanOrEqual(60);
      for (const word of ["discover", "inspect", "COMPLETED", "charged $", "balance $", "What to type next"]) {
        expect(stdout).toContain(word);
      }
    },
    HANG_MS,
  );
});

/** The files that a clone of the tree as it stands would have. */
function copyWhatGitHolds(target: string): void {
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  for (const file of stdout.split("\0")) {
    const from = join(root, file);
    if (file === "" || !existsSync(from)) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(from, join(target, file));
  }
}
