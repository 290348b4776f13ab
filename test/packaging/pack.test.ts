import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyEnvironment } from "../support/empty-environment.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = new URL("../..", import.meta.url).pathname;
const HANG_MS = 240_000;
const LARGEST_UNPACKED_BYTES = 8_000_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

interface PackageFacts {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly publishConfig: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
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

describe("the package", () => {
  const folder = tempDir("mkt-pack-");
  const project = join(folder.path, "project");
  let environment: Record<string, string>;
  let packed: Packed;
  let facts: PackageFacts;

  beforeAll(async () => {
    const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder.path];
    [packed] = JSON.parse(
      execFileSync("npm", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    );
    facts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as PackageFacts;
    process.stderr.write(
      `package: ${Math.round(packed.size / 1_000)} kB packed, ${Math.round(packed.unpackedSize / 1_000)} kB in ${packed.files.length} files\n`,
    );
    environment = {
      ...(await emptyEnvironment(join(folder.path, "home"))),
      MKT_PORT: "0",
      MKT_REGISTRY_PORT: "0",
      MKT_BALLAST_BYTES: "0",
    };
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true, "type": "module" }\n');
    const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder.path, packed.filename)];
    execFileSync("npm", install, { cwd: project, env: environment, stdio: "ignore" });
  }, HANG_MS);

  afterAll(() => {
    mkt("daemon", "stop");
    folder[Symbol.dispose]();
  }, HANG_MS);

  function mkt(...words: string[]): { stdout: string; stderr: string; status: number | null } {
    return inProject("npx", ["--no-install", "mkt", ...words]);
  }

  function inProject(command: string, words: readonly string[], further: Record<string, string> = {}) {
    const { stdout, stderr, status } = spawnSync(command, words, {
      cwd: project,
      env: { ...environment, ...further },
      encoding: "utf8",
    });
    return { stdout, stderr, status };
  }

  it("holds what runs and nothing else, in a size that is said", () => {
    const paths = packed.files.map(({ path }) => path);

    expect(paths.filter((path) => !/^dist\/|^(package\.json|README\.md|LICENSE)$/.test(path))).toEqual([]);
    expect(paths.filter((path) => path.endsWith(".map"))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(["dist/mkt.js", "dist/client.js", "dist/client.d.ts", "LICENSE"]));
    expect(packed.unpackedSize).toBeLessThan(LARGEST_UNPACKED_BYTES);
  });

  it("runs nothing when it is installed, and is published with its provenance", () => {
    for (const name of ["preinstall", "install", "postinstall", "prepare"])
      expect(facts.scripts).not.toHaveProperty(name);
    expect(facts.publishConfig).toEqual({ access: "public", provenance: true });
  });

  it("comes with the licenses of the packages that are part of its files, and needs those no more", () => {
    const text = readFileSync(join(project, "node_modules/mkt/dist/LICENSES-OF-PACKAGES.txt"), "utf8");

    expect(text).toContain("commander");
    expect(text).toContain("env-paths");
    expect(facts.dependencies).not.toHaveProperty("commander");
    expect(readdirSync(join(project, "node_modules"))).not.toContain("commander");
  });

  it("starts by npx and says its version", () => {
    expect(mkt("--version")).toMatchObject({ stdout: `${facts.version}\n`, status: 0 });
  });

  it("starts a daemon, finds an endpoint and runs it", { timeout: HANG_MS }, () => {
    const found = mkt("discover", "when does the sun rise", "--json");
    const ran = mkt("run", "atlas/sun", "latitude=38.72", "longitude=-9.14", "--json");

    expect(found.status, found.stderr).toBe(0);
    expect(JSON.parse(found.stdout).results).toContainEqual(
      expect.objectContaining({ provider: "atlas", endpoint: "/sun" }),
    );
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: "COMPLETED", output: { sunrise: expect.any(String) } });
  });

  it("gives programs the client", { timeout: HANG_MS }, () => {
    const { url } = JSON.parse(mkt("daemon", "status", "--json").stdout) as { url: string };
    const { key } = JSON.parse(mkt("keys", "create", "--label", "program", "--json").stdout) as { key: string };
    writeFileSync(join(project, "consumer.mjs"), consumer);

    const { stdout, stderr } = inProject(process.execPath, ["consumer.mjs"], { MKT_API_URL: url, MKT_API_KEY: key });

    expect(stdout, stderr).toBe('{"status":"COMPLETED","sunrise":"string"}\n');
  });

  it(
    "gives programs the client's types, for the strictest settings and without further packages",
    { timeout: HANG_MS },
    () => {
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
      writeFileSync(join(project, "program.ts"), program);
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));

      const { stdout, status } = inProject(process.execPath, [
        join(root, "node_modules/typescript/bin/tsc"),
        "-p",
        ".",
      ]);

      expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
    },
  );

  it("serves MCP", { timeout: HANG_MS }, async () => {
    const transport = new StdioClientTransport({
      command: "npx",
      args: ["--no-install", "mkt", "mcp"],
      cwd: project,
      env: environment,
      stderr: "ignore",
    });
    const client = new Client({ name: "package-test", version: "1" });
    await client.connect(transport);

    const { tools } = await client.listTools();
    await client.close();

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["discover", "quote", "run"]));
  });
});
