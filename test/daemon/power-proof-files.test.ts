import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import { localDaemonFilePath } from "../../shared/local-daemon-file.ts";
import { temporaryName } from "../../shared/temporary-file.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Replaced {
  readonly path: string;
  /** The text was on the disk before the name. */
  readonly isFileFlushed: boolean;
  /** The name was on the disk before anything was answered or the process ended. */
  readonly isNameFlushed: boolean;
}

function skipWithoutTracer(context: TestContext): void {
  const { status } = spawnSync("strace", ["-f", "-y", "-o", "/dev/null", "true"], { stdio: "ignore" });
  if (status !== 0) context.skip("strace is not installed, or may not trace");
}

/** Every file that got its name by a rename, as strace saw it. */
function replacedFiles(trace: string, cwd: string): Replaced[] {
  const lines = readFileSync(trace, "utf8").split("\n");
  return lines.flatMap((line, at) => {
    const [, from = "", to = ""] =
      /rename\w*\((?:AT_FDCWD[^,]*, )?"([^"]+)", (?:AT_FDCWD[^,]*, )?"([^"]+)"/.exec(line) ?? [];
    if (from === "") return [];
    const [path, name] = [resolve(cwd, from), resolve(cwd, to)];
    const flushes = (one: string) => (other: string) => /sync\(\d+</.test(other) && other.includes(`<${one}>`);
    const answered = lines.findIndex((other, index) => index > at && /write\w*\(.*HTTP\/1\.1 2/.test(other));
    const after = lines.slice(at, answered === -1 ? undefined : answered);
    return [
      {
        path: name,
        isFileFlushed: lines.slice(0, at).some(flushes(path)),
        isNameFlushed: after.some(flushes(dirname(name))),
      },
    ];
  });
}

/** Caches are made again, and the disk is not waited for. */
function isCache(path: string): boolean {
  return path.includes("/cache/");
}

function traceLine(home: MktHome): { file: string; shellLine: string } {
  const file = join(home.path, "trace");
  const calls = "trace=rename,renameat,renameat2,fsync,fdatasync,write,writev,sendto";
  return { file, shellLine: `set -- strace -f -y -s 40 -o '${file}' -e ${calls} "$@"` };
}

test("what was acknowledged is on the disk, text and name: the owner's key, secrets, grants, prices, settings", async (context) => {
  skipWithoutTracer(context);
  using home = mktHome();
  const { file, shellLine } = traceLine(home);
  const manifest = {
    secrets: { key: { env: "SHOP_API_KEY", description: "of the shop" } },
    http: { baseUrl: "https://shop.example", auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: { "/now": { request: { method: "GET", path: "/now" }, price: { type: "PER_CALL", amount: 0.01 } } },
  };
  const catalog = home.writeCatalog("untrusted", { shop: manifest });
  const daemon = await spawnDaemon({ home, shellLine, args: ["--catalog", catalog] });
  const answers = [
    await daemon.request("PUT", "/v1/admin/secrets/SHOP_API_KEY", { value: "not-a-real-secret" }),
    await daemon.request("DELETE", "/v1/admin/secrets/SHOP_API_KEY"),
    await daemon.request("PATCH", "/v1/admin/settings", { discoverFloor: 0.1 }),
  ];
  const priced = await spawnMkt(["catalog", "price", "shop/now", "0.02"], { home });
  const granted = await spawnMkt(["catalog", "grant", "shop", "--yes"], { home });
  await daemon.request("POST", "/v1/api-keys", { label: "end" });
  process.kill(daemon.pid);
  await daemon.exited;

  const replaced = replacedFiles(file, home.path).filter(({ path }) => !isCache(path));

  expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual([2, 2, 2]);
  expect([priced.code, granted.code], priced.stderr + granted.stderr).toEqual([0, 0]);
  const names = replaced.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
  for (const name of ["secrets.json", "settings.json", "prices.yaml", "grants.json"]) expect(names).toContain(name);
  expect(names).toContain(localDaemonFilePath(home.configDir, home.dataDir).split("/").at(-1));
  expect(
    replaced.filter(({ path, isFileFlushed, isNameFlushed }) => {
      // Its holder is dead then, or has let go: whichever of the two is read back, the next start goes on.
      const isReleasedLock = /\/lock\.\d+$/.test(path);
      return !isReleasedLock && (!isFileFlushed || !isNameFlushed);
    }),
  ).toEqual([]);
});

test.for([
  ["a key that is kept with -o", ["keys", "create", "--label", "ada", "-o", "./ada.json"], "ada.json"],
  ["a profile", ["profile", "add", "team", "--api-url", "https://mkt.example"], "profiles.json"],
] as const)("%s is on the disk when the command ends", async ([, args, name], context) => {
  skipWithoutTracer(context);
  using home = mktHome();
  await using daemon = await spawnDaemon({ home });
  const { file, shellLine } = traceLine(home);

  const { code, stderr } = await spawnMkt([...args], { home, shellLine });

  expect(code, stderr).toBe(0);
  expect(daemon.url).not.toBe("");
  const own = replacedFiles(file, home.path).filter(({ path }) => path.endsWith(name));
  expect(own.length).toBeGreaterThan(0);
  expect(own.at(-1)).toMatchObject({ isFileFlushed: true, isNameFlushed: true });
});

test("what a killed process left of a secret is gone after the next start; what a living one writes is not", async () => {
  using home = mktHome();
  await (await spawnDaemon({ home }))[Symbol.asyncDispose]();
  const [, place = ""] = /-([0-9a-f]{8})-/.exec(temporaryName("x", "0".repeat(12))) ?? [];
  const left = [
    join(home.configDir, temporaryName("secrets.json", "1".repeat(12), { pid: 2 ** 30, place, process: "deadbeef" })),
    join(
      home.configDir,
      "local",
      temporaryName("a.json", "2".repeat(12), { pid: 2 ** 30, place, process: "deadbeef" }),
    ),
    // As the version before named it, long ago.
    join(home.configDir, `.secrets.json.${"3".repeat(12)}.tmp`),
  ];
  const kept = [
    join(home.configDir, temporaryName("secrets.json", "4".repeat(12))),
    // As the version before names it, perhaps at this moment.
    join(home.configDir, `.secrets.json.${"5".repeat(12)}.tmp`),
    join(home.configDir, "notes.tmp"),
  ];
  for (const path of [...left, ...kept]) writeFileSync(path, "s3cret", { mode: 0o600 });
  const yesterday = new Date(Date.now() - 86_400_000);
  utimesSync(left[2] ?? "", yesterday, yesterday);

  await using again = await spawnDaemon({ home });

  expect(again.stderr()).not.toContain("could not be removed");
  expect(left.filter((path) => existsSync(path))).toEqual([]);
  expect(kept.filter((path) => existsSync(path))).toEqual(kept);
  expect(readdirSync(home.configDir)).toContain("local");
});
