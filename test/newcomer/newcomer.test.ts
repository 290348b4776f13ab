import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageFacts from "../../package.json" with { type: "json" };
import { followDocument } from "../docs/follow-document.ts";
import { isLong } from "../support/effort.ts";
import { emptyEnvironment } from "../support/empty-environment.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = new URL("../..", import.meta.url).pathname;
const HANG_MS = 300_000;
/**
 * Of which 3 MB are the scripts of the processes that read what others wrote, each one file that shares nothing, 1.3 MB
 * what a start would otherwise work out of the bundled catalog, and as much SQLite for the results of batches. Word vectors take
 * 3.4 MB, the console and the traces of the daemon half a megabyte each.
 */
const LARGEST_INSTALLED_BYTES = 28_000_000;

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

/** Uses what is exported, under the strictest settings, without Node's types and without any other package. */
const program = `
import { createClient, ServiceError, UnreachableError, type Client, type Run, type DiscoverResult } from "mkt/client";

const client: Client = createClient({ baseUrl: "http://127.0.0.1:7717", key: "mkt_live_x", workspaceId: undefined });

export async function firstOf(q: string): Promise<DiscoverResult | undefined> {
  const { results } = await client.discover({ body: { q, limit: 1 } });
  return results[0];
}

export async function outputOf(runId: string, signal: AbortSignal): Promise<unknown> {
  try {
    const run: Run = await client.getRun({ params: { runId }, query: { wait: 30 } }, { signal });
    return run.status === "COMPLETED" ? run.output : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.status satisfies number;
    if (error instanceof UnreachableError) return error.url satisfies string;
    throw error;
  }
}

// @ts-expect-error a run needs an endpoint
void client.startRun({ body: { provider: "atlas", input: {} } });
// @ts-expect-error there is no such operation
void client.startRuns;
`;

const consumer = `
import { createClient } from "mkt/client";
const client = createClient({ baseUrl: process.env.MKT_API_URL, key: process.env.MKT_API_KEY });
const input = { queryParams: { latitude: 38.72, longitude: -9.14 } };
const run = await client.startRun({ body: { provider: "atlas", endpoint: "/sun", input } });
console.log(JSON.stringify({ status: run.status, sunrise: typeof run.output.sunrise }));
`;

describe.skipIf(reason !== undefined)("a newcomer with a fresh clone and an empty environment", () => {
  const folder = tempDir("mkt-newcomer-");
  const [clone, prefix] = [join(folder.path, "clone"), join(folder.path, "prefix")];
  const installed = join(prefix, "lib/node_modules/mkt");
  let environment: Record<string, string>;
  let published: { readonly version: string };
  let tarball = "";

  beforeAll(async () => {
    cloneAsItStands(folder.path, clone);
    if (!isLong) {
      lendPackages(clone);
      lendBuild(clone);
    }
    const environmentOfShell = await emptyEnvironment(join(folder.path, "home"));
    environment = { ...environmentOfShell, PATH: `${join(prefix, "bin")}:${environmentOfShell["PATH"] ?? ""}` };
    published = JSON.parse(readFileSync(join(root, "published-package.json"), "utf8"));
  }, HANG_MS);

  // Thousands of files; on a busy machine that takes its time.
  afterAll(() => folder[Symbol.dispose](), HANG_MS);

  async function run(command: string, args: readonly string[], cwd = clone, further = {}): Promise<Ended> {
    const child = spawn(command, args, { cwd, env: { ...environment, ...further }, stdio: ["ignore", "pipe", "pipe"] });
    const read = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (read.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (read.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...read };
  }

  test.each([
    ["npm pack", {}],
    ["npm pack", { npm_config_ignore_scripts: "false" }],
    ["npm publish --dry-run", {}],
  ])("makes no empty package by a bare %s %o", { timeout: HANG_MS }, async (line, further) => {
    const [command = "", ...words] = line.split(" ");

    const { code } = await run(command, words, clone, further);

    expect(code).not.toBe(0);
    expect(readdirSync(clone).filter((name) => name.endsWith(".tgz"))).toEqual([]);
  });

  test("makes no package of what is not committed", { timeout: HANG_MS }, async () => {
    const changed = join(clone, "README.md");
    appendFileSync(changed, "more\n");

    const { code, stderr } = await run("npm", ["run", "--silent", "pack"]);
    await run("git", ["checkout", "README.md"]);

    expect(code).not.toBe(0);
    expect(stderr).toContain("README.md");
  });

  test("makes the package of the clone with npm run pack", { timeout: HANG_MS }, async () => {
    const { code, stdout, stderr } = await run("npm", [
      "run",
      "--silent",
      "pack",
      "--",
      "--pack-destination",
      folder.path,
    ]);

    expect(code, stderr).toBe(0);
    tarball = stdout.trim();
    expect(tarball).toBe(join(folder.path, `mkt-${published.version}.tgz`));
    process.stderr.write(stderr);
  });

  test("sees the whole market with npm run demo, in at most 60 lines", { timeout: HANG_MS }, async () => {
    const { code, stdout, stderr } = await (isLong ? run("npm", ["run", "demo"]) : run("sh", ["-c", demoOfBuild]));

    expect(code, stderr).toBe(0);
    expect(`${stdout}${stderr}`.trim().split("\n").length).toBeLessThanOrEqual(60);
    for (const word of ["discover", "inspect", "COMPLETED", "charged $", "balance $", "What to type next"]) {
      expect(stdout).toContain(word);
    }
  });

  describe("who installs the package globally, into an empty prefix", () => {
    beforeAll(async () => {
      if (tarball === "") throw new Error("there is no package: the test before made none");
    });

    test(
      "gets one package of a size that is said, without a warning and without the registry",
      { timeout: HANG_MS },
      async () => {
        const words = ["install", "--global", "--prefix", prefix, "--offline", "--no-audit", "--no-fund", tarball];

        const { code, stdout, stderr } = await run("npm", words, folder.path, {
          NPM_CONFIG_CACHE: join(folder.path, "cache"),
        });

        expect(code, stderr).toBe(0);
        expect(stdout).toContain("added 1 package");
        expect(stderr).not.toMatch(/EBADENGINE|deprecated/);
        expect(readdirSync(join(prefix, "lib/node_modules"))).toEqual(["mkt"]);
        expect(existsSync(join(installed, "node_modules"))).toBe(false);
        const bytes = sizeOf(installed);
        process.stderr.write(`package: ${Math.round(bytes / 1_000)} kB installed\n`);
        expect(bytes).toBeLessThan(LARGEST_INSTALLED_BYTES);
      },
    );

    test("has what runs, the guides and the files to deploy with, and nothing else", () => {
      const files = readdirSync(installed, { recursive: true }).map(String);

      expect(readdirSync(installed).toSorted()).toEqual(
        ["CHANGELOG.md", "LICENSE", "README.md", "dist", "docs", "package.json"].toSorted(),
      );
      expect(files).toEqual(
        expect.arrayContaining([
          "docs/deploy/mkt.service",
          "docs/deploy/nginx.conf",
          "docs/deploy/Caddyfile",
          "docs/operate.md",
        ]),
      );
      expect(files.filter((file) => /\.(?:map|jpg)$/.test(file))).toEqual([]);
    });

    test("runs nothing by installing it, needs no other package, and finds provenance asked for", () => {
      const facts = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));

      expect(facts.publishConfig).toEqual({ access: "public", provenance: true });
      for (const name of ["scripts", "dependencies", "optionalDependencies", "peerDependencies"]) {
        expect(facts).not.toHaveProperty(name);
      }
    });

    test("can read which packages are part of it, with their licenses, and have them audited", () => {
      const licenses = readFileSync(join(installed, "dist/LICENSES-OF-PACKAGES.txt"), "utf8");
      const bom = JSON.parse(readFileSync(join(installed, "dist/sbom.cdx.json"), "utf8"));
      const names = bom.components.map(({ name }: { name: string }) => name);

      expect(names).toEqual(expect.arrayContaining(["commander", "fastify", "undici", "ink", "react", "zod", "ajv"]));
      for (const { name, version, purl } of bom.components) {
        expect(licenses).toContain(`${name} ${version}\n`);
        expect(purl).toContain(`@${version}`);
      }
    });

    test("starts it and is told its version", { timeout: HANG_MS }, async () => {
      expect(await run("mkt", ["--version"], folder.path)).toMatchObject({ stdout: `${published.version}\n`, code: 0 });
    });

    test(
      "has programs that call it with its client and its types alone, and a console for people",
      { timeout: HANG_MS },
      async () => {
        const project = join(folder.path, "project");
        mkdirSync(project);
        writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true, "type": "module" }\n');
        const ports = { MKT_PORT: "0", MKT_REGISTRY_PORT: "0", MKT_BALLAST_BYTES: "0" };
        const inProject = (command: string, words: string[], further = {}) =>
          run(command, words, project, { ...ports, ...further });
        const added = await inProject("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball]);
        writeFileSync(join(project, "consumer.mjs"), consumer);
        writeFileSync(join(project, "program.ts"), program);
        writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));

        const found = await inProject("npx", ["--no-install", "mkt", "discover", "when does the sun rise", "--json"]);
        const { url } = JSON.parse((await inProject("mkt", ["daemon", "status", "--json"])).stdout);
        const { key } = JSON.parse((await inProject("mkt", ["keys", "create", "--label", "program", "--json"])).stdout);
        const consumed = await inProject(process.execPath, ["consumer.mjs"], { MKT_API_URL: url, MKT_API_KEY: key });
        const checked = await inProject(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."]);
        const tools = await toolsOf(project, { ...environment, ...ports });
        const printed = await inProject("mkt", ["console", "--print"]);
        const page = await fetch(`${url}/console/`);
        const html = await page.text();
        const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path = ""]) => path);
        const assets = await Promise.all(files.map(async (path) => await fetch(`${url}/console/${path}`)));
        await inProject("mkt", ["daemon", "stop"]);

        expect(added.code, added.stderr).toBe(0);
        expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["mkt"]);
        expect(found.code, found.stderr).toBe(0);
        expect(consumed.stdout, consumed.stderr).toBe('{"status":"COMPLETED","sunrise":"string"}\n');
        expect({ stdout: checked.stdout, code: checked.code }).toEqual({ stdout: "", code: 0 });
        expect(tools).toEqual(expect.arrayContaining(["discover", "quote", "run"]));
        expect(printed.stdout, printed.stderr).toContain(`${url}/console/#ticket=tkt_`);
        expect(page.status, html).toBe(200);
        expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
        expect(assets.map(({ status, headers }) => `${status} ${headers.get("content-type")}`).toSorted()).toEqual(
          expect.arrayContaining(["200 text/css; charset=utf-8", "200 text/javascript; charset=utf-8"]),
        );
        expect(assets.every(({ ok }) => ok)).toBe(true);
      },
    );

    followDocument("README.md", {
      mkt: join(prefix, "bin/mkt"),
      shows: ['"endpoint":"/sun"', '"sunrise"', '"status":"COMPLETED"', '"status":"REVOKED"'],
    });
  });
});

/** What the scripts that need the build begin with. */
const preparing = "node bin/prepare.mjs && ";
/** The short form prepares the clone once, for the package, and runs the demo on that build. */
const demoOfBuild = packageFacts.scripts.demo.slice(preparing.length);

test("npm run demo prepares a clone and then runs the tour", () => {
  expect(packageFacts.scripts.demo).toBe(`${preparing}${demoOfBuild}`);
});

/**
 * The short form does not install the packages of the lockfile again; whoever tests a clean clone has just done so. Each
 * has a link of its own: an `npm ci` in the clone empties its folder, and must not empty the one of this checkout.
 */
function lendPackages(clone: string): void {
  const own = join(clone, "node_modules");
  mkdirSync(own);
  for (const name of readdirSync(join(root, "node_modules")))
    symlinkSync(join(root, "node_modules", name), join(own, name));
  appendFileSync(join(clone, ".git/info/exclude"), "node_modules\n");
}

/**
 * Nor does it build the same sources again: `bin/prepare.mjs` takes a build that is of the clone's sources. What daemons
 * of other tests keep beside it comes and goes.
 */
function lendBuild(clone: string): void {
  const kept = join(root, "dist/compiled");
  cpSync(join(root, "dist"), join(clone, "dist"), { recursive: true, filter: (path) => path !== kept });
}

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  module: "nodenext",
  target: "es2022",
  lib: ["es2023", "dom"],
  types: [],
};

async function toolsOf(cwd: string, env: Record<string, string>): Promise<string[]> {
  const transport = new StdioClientTransport({ command: "mkt", args: ["mcp"], cwd, env, stderr: "ignore" });
  const client = new Client({ name: "package-test", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.reduce((bytes, file) => bytes + statSync(join(file.parentPath, file.name)).size, 0);
}

/** A clone of a repository that holds the tree as it stands, committed. */
function cloneAsItStands(folder: string, target: string): void {
  const origin = join(folder, "origin");
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  for (const file of stdout.split("\0")) {
    const from = join(root, file);
    if (file === "" || !existsSync(from)) continue;
    mkdirSync(dirname(join(origin, file)), { recursive: true });
    cpSync(from, join(origin, file));
  }
  const git = (...words: string[]) => {
    const { status, stderr } = spawnSync("git", words, { cwd: origin, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  };
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
  git("init", "--quiet");
  git("add", "--all");
  git(...who, "commit", "--quiet", "--message", "as it stands");
  git("clone", "--quiet", origin, target);
}
