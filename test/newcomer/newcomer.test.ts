import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

  afterAll(async () => {
    await inClone("bash", ["-c", "test -e dist/mkt.js && node dist/mkt.js daemon stop"]);
    folder[Symbol.dispose]();
  });

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

  it(
    "can type the examples of the README one after the other",
    async () => {
      const examples = readExamples(readFileSync(join(clone, "README.md"), "utf8"));
      const script = examples.map((example, at) => `echo "example ${at}" >&2\n${example}`).join("\n");

      const { code, stdout, stderr } = await inClone("bash", ["-euo", "pipefail", "-c", script]);

      expect(code, stderr).toBe(0);
      expect(examples.length).toBeGreaterThan(6);
      for (const words of ['"endpoint":"/sun"', '"sunrise"', '"status":"COMPLETED"', '"status":"REVOKED"']) {
        expect(stdout.includes(words), words).toBe(true);
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

/** PATH, HOME and the npm configuration, nothing else; ports only where somebody has the usual ones. */
async function emptyEnvironment(home: string): Promise<Record<string, string>> {
  mkdirSync(home, { recursive: true });
  const npm = (name: string) => spawnSync("npm", ["config", "get", name], { encoding: "utf8" }).stdout.trim();
  const userConfig = npm("userconfig");
  if (!existsSync(userConfig)) writeFileSync(join(home, ".npmrc"), "");
  const certificates = process.env["NODE_EXTRA_CA_CERTS"];
  const configuration = Object.entries(process.env).filter(([name]) => /^npm_config_(registry|.*cafile)$/i.test(name));
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ...(existsSync(userConfig) && { NPM_CONFIG_USERCONFIG: userConfig }),
    NPM_CONFIG_GLOBALCONFIG: npm("globalconfig"),
    NPM_CONFIG_CACHE: npm("cache"),
    ...(Object.fromEntries(configuration) as Record<string, string>),
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
    ...(!((await isFree(7717)) && (await isFree(7718))) && { MKT_PORT: "0", MKT_REGISTRY_PORT: "0" }),
  };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** The shell blocks between the newcomer marks of the README, in their order. */
function readExamples(readme: string): string[] {
  const part = readme.split("<!-- newcomer: start -->")[1]?.split("<!-- newcomer: end -->")[0] ?? "";
  return [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = ""]) => code.trim());
}
