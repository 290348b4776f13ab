import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { bundlePackages } from "../../bin/build/bundled-packages.ts";
import { runProgram } from "../support/run-program.ts";
import { tempDir } from "../support/temp-dir.ts";

/* What of others is in the program, and how it came there. docs/security.md, T29. */

const HANG_MS = 120_000;
const root = fileURLToPath(new URL("../../", import.meta.url));
const dist = join(root, "dist");

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

const { packages: locked } = readJson("package-lock.json") as { packages: Record<string, LockedPackage> };
const { components } = readJson("dist/sbom.cdx.json") as { components: readonly Component[] };

/** `node_modules/a/node_modules/@b/c` of whatever path leads into it. */
function packageFolder(path: string): string | undefined {
  return /node_modules\/.*node_modules\/(?:@[^/]+\/)?[^/]+|node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** Of the program, and of the page in the browser. */
function builtMaps(): string[] {
  const names = [".", "console/assets"].flatMap((folder) =>
    readdirSync(join(dist, folder)).map((name) => join(folder, name)),
  );
  return names.filter((name) => /\.c?js\.map$/.test(name));
}

/** What the maps of the build say that it is made of. */
function foldersInMaps(): string[] {
  const maps = builtMaps();
  return maps.flatMap((name) => {
    const { sources } = readJson(`dist/${name}`) as { sources: readonly string[] };
    const folders = sources.flatMap((path) => packageFolder(path) ?? []);
    // Of what a package ships inside its own files, its maps name the folder where that was built.
    return folders.filter((folder) => existsSync(join(root, folder)));
  });
}

/** `name@version` of each package that another one ships inside its own files, by the maps of the build. */
function shippedInOthers(): string[] {
  const maps = builtMaps();
  return maps.flatMap((name) => {
    const { sources } = readJson(`dist/${name}`) as { sources: readonly string[] };
    const found = sources.flatMap((path) => /\.pnpm\/((?:@[^+]+\+)?[^@/]+@[^/_]+)/.exec(path)?.[1] ?? []);
    return found.map((one) => one.replace("+", "/"));
  });
}

/** Scripts of threads and processes have no maps. */
async function foldersInWorkers(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: readdirSync(join(root, "bin"))
      .filter((name) => name.endsWith("-worker.ts"))
      .map((name) => join(root, "bin", name)),
    bundle: true,
    write: false,
    metafile: true,
    logLevel: "error",
    platform: "node",
    format: "cjs",
    outdir: dist,
    absWorkingDir: root,
    plugins: [bundlePackages],
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? (packageFolder(path) ?? []) : [],
    ),
  );
}

describe("dist/sbom.cdx.json", () => {
  test(
    "names every package and version that is in what was built, also inside of others, and none besides, with its license",
    async () => {
      const folders = [...new Set([...foldersInMaps(), ...(await foldersInWorkers())])];
      const built = folders.map(
        (folder) => `${folder.slice(folder.lastIndexOf("node_modules/") + 13)}@${locked[folder]?.version}`,
      );
      const inside = shippedInOthers();
      const listed = components.map(({ name, version }) => `${name}@${version}`);

      expect(listed.length).toBeGreaterThan(50);
      expect(inside).toContain("content-type@1.0.5");
      expect([...new Set(listed)].toSorted()).toEqual([...new Set([...built, ...inside])].toSorted());
      const licenses = readFileSync(join(dist, "LICENSES-OF-PACKAGES.txt"), "utf8");
      expect(listed.filter((one) => !licenses.includes(`${one.replace(/@(?=[^@]*$)/, " ")}\n\n`))).toEqual([]);
      for (const { name, version, purl } of components)
        expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
    },
    HANG_MS,
  );

  test("is all that comes with the program: whoever installs it installs no other package, and runs nothing", () => {
    const published = readJson("published-package.json") as Record<string, unknown>;

    process.stdout.write(`runtime dependencies: 0 installed with mkt, ${components.length} packages within it\n`);

    expect(Object.keys(published).filter((name) => /dependencies$/i.test(name))).toEqual([]);
    expect(published["scripts"]).toBeUndefined();
    expect(published["publishConfig"]).toMatchObject({ provenance: true });
  });
});

describe("the lockfile", () => {
  test("has the hash of every package", () => {
    const unlocked = Object.entries(locked).filter(
      ([path, { integrity }]) => path !== "" && integrity?.startsWith("sha512-") !== true,
    );

    expect(unlocked.map(([path]) => path)).toEqual([]);
  });

  test("has one package that would run something when it is installed, and the build does without", () => {
    const running = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript === true);

    expect(running.map(([path]) => path)).toEqual(["node_modules/esbuild"]);
    expect(readFileSync(join(root, "bin/prepare.mjs"), "utf8")).toContain('"--ignore-scripts"');
  });

  test("has exact versions in package.json, and npm is told to keep it so, and to run nothing", () => {
    const { devDependencies, overrides } = readJson("package.json") as Record<string, Record<string, string>>;
    const settings = readFileSync(join(root, ".npmrc"), "utf8").split("\n");

    const loose = Object.entries({ ...devDependencies, ...overrides }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version),
    );

    expect(loose).toEqual([]);
    expect(settings).toEqual(expect.arrayContaining(["ignore-scripts=true", "save-exact=true"]));
  });
});

describe("npm run packages:age", { timeout: HANG_MS }, () => {
  const DAY_MS = 86_400_000;
  const script = join(root, "bin/package-ages.mjs");
  const hash = (name: string) => `sha512-${Buffer.from(name).toString("base64")}`;

  /** A checkout that locked `old` and `young`, 1.0.0 both, just now. */
  function checkout(folder: string): void {
    const packages = Object.fromEntries(
      ["old", "young"].map((name) => [`node_modules/${name}`, { version: "1.0.0", integrity: hash(name) }]),
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "package-lock.json"),
      JSON.stringify({ packages: { "": {}, ...packages } }, undefined, 2),
    );
    for (const words of [
      ["init", "-q"],
      ["add", "."],
      ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "Lock"],
    ]) {
      execFileSync("git", words, { cwd: folder });
    }
  }

  /** A registry that tells when each of them was published. */
  async function startRegistry(ageInDays: Readonly<Record<string, number>>) {
    const server = createServer((request, response) => {
      const name = (request.url ?? "").slice(1);
      const time = new Date(Date.now() - (ageInDays[name] ?? 0) * DAY_MS).toISOString();
      response.setHeader("content-type", "application/json");
      const version = { name, version: "1.0.0", dist: { tarball: "http://127.0.0.1/x.tgz" } };
      response.end(
        JSON.stringify({
          name,
          "dist-tags": { latest: "1.0.0" },
          versions: { "1.0.0": version },
          time: { "1.0.0": time },
        }),
      );
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
  }

  const isMissing = ["git", "npm"].some((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);

  async function ask(folder: string, registry: string, ...names: readonly string[]) {
    const environment = {
      npm_config_registry: registry,
      npm_config_cache: join(folder, "cache"),
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
    };
    return await runProgram(process.execPath, [script, ...names], { cwd: join(folder, "checkout"), environment });
  }

  test.skipIf(isMissing)("names a version that was younger than a week when it was locked", async () => {
    using folder = tempDir();
    checkout(join(folder.path, "checkout"));
    const registry = await startRegistry({ old: 30, young: 2 });

    const all = await ask(folder.path, registry.url);
    const old = await ask(folder.path, registry.url, "old");
    registry.close();

    expect(all).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^young@1\.0\.0 was 2\.0 days old when it was locked\n1 of 2/),
    });
    expect(old).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 versions of 1 packages were 7 days old or more"),
    });
  });

  test.skipIf(isMissing)("is skipped, and says why, where no registry can be asked", async () => {
    using folder = tempDir();
    checkout(join(folder.path, "checkout"));

    const outcome = await ask(folder.path, "http://127.0.0.1:9/");

    expect(outcome).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Skipped: npm could not tell of old: ECONNREFUSED/),
    });
  });
});
