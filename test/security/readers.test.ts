import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { documentFolder, openApi } from "../import/descriptions.ts";
import { childrenOf, isAlive, memoryOf, tellsOfProcesses } from "../support/child-processes.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type SpawnedDaemon, spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";

/*
 * What others wrote is read in a process of its own. docs/security.md, T27. The daemon and the command line are the built
 * ones; `npm test` builds them before.
 */

const HANG_MS = 120_000;
/** Ten times what a change takes to be found and read. */
const SOON = { timeout: 60_000, interval: 50 };
const MEGABYTE = 1024 * 1024;

const billionLaughs = [
  'a: &a ["lol","lol","lol","lol","lol","lol","lol","lol","lol"]',
  ..."bcdefghij".split("").map((name, index) => {
    const before = "abcdefghi"[index];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
  }),
].join("\n");

/** A file of 300 KB whose one text is written out a thousand times. */
const longEcho = [
  "mkt: 1",
  "provider: echo",
  `x: &x "${"y".repeat(300_000)}"`,
  `z: [${Array.from({ length: 900 }, () => "*x").join(",")}]`,
].join("\n");

/** Takes a reader seconds: every key and every value is a part of its own, just below the most that is taken. */
const slow = Array.from({ length: 84_000 }, (_, index) => `k${index}:\n  1`).join("\n");

const deepSchema = (depth: number): object =>
  depth === 0 ? { type: "string" } : { type: "object", properties: { a: deepSchema(depth - 1) } };

function manifest(slug: string, schema: object = { type: "object" }): string {
  return JSON.stringify({
    mkt: 1,
    provider: slug,
    http: { baseUrl: "https://example.com", auth: { type: "none" } },
    endpoints: {
      "/look": { request: { method: "POST" }, description: "Looks", price: { type: "FREE" }, input: { body: schema } },
    },
  });
}

const hostile: readonly (readonly [string, string, string])[] = [
  ["a billion laughs", "laughs.yaml", billionLaughs],
  ["two hundred thousand open brackets", "deep.yaml", "[".repeat(200_000)],
  ["a million keys", "keys.yaml", Array.from({ length: 1_000_000 }, (_, index) => `k${index}: 1`).join("\n")],
  [
    "a text of 15 MB",
    "text.json",
    JSON.stringify({ mkt: 1, provider: "text", description: "x".repeat(15 * MEGABYTE) }),
  ],
  ["a text a thousand times over", "echo.yaml", longEcho],
  ["categories without end", "categories.yaml", `mkt: 1\ntops:\n${"  - id: a\n".repeat(50_000)}`],
  [
    "a schema of many branches",
    "branches.json",
    manifest("branches", { allOf: Array.from({ length: 3_000 }, () => ({ type: "object" })) }),
  ],
  ["a schema nested a thousand deep", "nested.json", manifest("nested", deepSchema(500))],
];

/** What `/health` answered other than 200, asked again and again while `work` goes on. */
async function lookAtHealthWhile(daemon: SpawnedDaemon, work: () => Promise<void>): Promise<number[]> {
  const unwell: number[] = [];
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      const { status } = await fetch(`${daemon.url}/health`);
      if (status !== 200) unwell.push(status);
      await sleep(20);
    }
  })();
  await work().finally(() => over.abort());
  await looking;
  return unwell;
}

describe("a daemon with a folder that others write into", () => {
  test(
    `outlives ${hostile.map(([what]) => what).join(", ")}: tells what is wrong, and serves what else is there`,
    async () => {
      using home = mktHome();
      const dir = join(home.path, "foreign");
      mkdirSync(dir);
      writeFileSync(join(dir, "good.json"), manifest("good"));
      await using daemon = await spawnDaemon({ home, args: ["--catalog", dir] });
      const before = tellsOfProcesses ? memoryOf(daemon.pid) : 0;

      const unwell = await lookAtHealthWhile(daemon, async () => {
        for (const [, name, text] of hostile) {
          writeFileSync(join(dir, name), text);
          await expect.poll(() => daemon.stderr() + daemon.stdout(), SOON).toContain(`foreign/${name}`);
        }
      });
      const good = await daemon.request("POST", "/v1/inspect", { provider: "good", endpoint: "/look" });

      expect(unwell).toEqual([]);
      expect(good.status).toBe(200);
      expect((await daemon.request("GET", "/v1/auth/whoami")).status).toBe(200);
      if (tellsOfProcesses) expect(memoryOf(daemon.pid) - before).toBeLessThan(100 * MEGABYTE);
    },
    HANG_MS,
  );

  test.runIf(tellsOfProcesses)(
    "reads it in a process that has no secret, no file of the daemon's, and another folder",
    async () => {
      using home = mktHome();
      const dir = join(home.path, "foreign");
      mkdirSync(dir);
      await using daemon = await spawnDaemon({
        home,
        args: ["--catalog", dir],
        environment: { SHOP_KEY: "the-canary-secret", NODE_OPTIONS: "--max-http-header-size=16384" },
      });

      writeFileSync(join(dir, "slow.yaml"), slow);
      await expect.poll(() => childrenOf(daemon.pid).length, SOON).toBe(1);
      const [reader = 0] = childrenOf(daemon.pid);
      // Between its fork and its program it looks like the daemon.
      await expect
        .poll(() => readFileSync(`/proc/${reader}/cmdline`, "latin1"), SOON)
        .toContain("--max-old-space-size");
      const environment = readFileSync(`/proc/${reader}/environ`, "latin1");
      const words = readFileSync(`/proc/${reader}/cmdline`, "latin1").split("\0");
      const folder = readlinkSync(`/proc/${reader}/cwd`);
      const files = openFilesOf(reader);

      expect(environment).not.toContain("the-canary-secret");
      expect(environment.split("\0").filter((line) => !/^(?:LD_LIBRARY_PATH=.*)?$/.test(line))).toEqual([]);
      expect(words).toEqual(expect.arrayContaining([expect.stringMatching(/^--max-old-space-size=\d+$/)]));
      expect(words.some((word) => /^--(?:experimental-)?permission$/.test(word))).toBe(true);
      expect(folder).toBe("/");
      expect(files.filter((path) => path.startsWith(home.path))).toEqual([]);
    },
    HANG_MS,
  );

  test.runIf(tellsOfProcesses)(
    "leaves no reader behind when it is killed while one reads",
    async () => {
      using home = mktHome();
      const dir = join(home.path, "foreign");
      mkdirSync(dir);
      await using daemon = await spawnDaemon({ home, args: ["--catalog", dir] });
      writeFileSync(join(dir, "slow.yaml"), slow);
      await expect.poll(() => childrenOf(daemon.pid).length, SOON).toBe(1);
      const readers = childrenOf(daemon.pid);

      await daemon.kill("SIGKILL");

      await expect.poll(() => readers.filter(isAlive), SOON).toEqual([]);
    },
    HANG_MS,
  );

  test.runIf(tellsOfProcesses)(
    "ends at once while a reader hangs, and says nothing of the files that were not read",
    async () => {
      using home = mktHome();
      const dir = join(home.path, "foreign");
      mkdirSync(dir);
      await using daemon = await spawnDaemon({ home, args: ["--catalog", dir] });
      writeFileSync(join(dir, "slow.yaml"), slow);
      await expect.poll(() => childrenOf(daemon.pid).length, SOON).toBe(1);
      const readers = childrenOf(daemon.pid);
      // It does not answer any more, as one does that is busy until its time is over.
      for (const reader of readers) process.kill(reader, "SIGSTOP");

      const { code } = await daemon.kill("SIGTERM");

      // What holds the end up longer than the daemon waits ends with another code.
      expect(code).toBe(0);
      expect(daemon.stdout() + daemon.stderr()).not.toMatch(/could not be read|cannot be (?:read|used)/);
      await expect.poll(() => readers.filter(isAlive), SOON).toEqual([]);
    },
    HANG_MS,
  );

  test.runIf(tellsOfProcesses)(
    "reads a file once more when its reader was killed, and ends the readers when there is nothing to read",
    async () => {
      using home = mktHome();
      const dir = join(home.path, "foreign");
      mkdirSync(dir);
      await using daemon = await spawnDaemon({ home, args: ["--catalog", dir] });
      writeFileSync(join(dir, "slow.yaml"), slow);
      await expect.poll(() => childrenOf(daemon.pid).length, SOON).toBe(1);
      writeFileSync(join(dir, "good.json"), manifest("good"));
      const [first = 0] = childrenOf(daemon.pid);

      process.kill(first, "SIGKILL");

      const ask = () => daemon.request("POST", "/v1/inspect", { provider: "good", endpoint: "/look" });
      await expect.poll(async () => (await ask()).status, SOON).toBe(200);
      expect(daemon.stdout() + daemon.stderr()).not.toContain("SIGKILL");
      await expect.poll(() => childrenOf(daemon.pid), SOON).toEqual([]);
    },
    HANG_MS,
  );
});

function openFilesOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((number) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${number}`)];
    } catch {
      return [];
    }
  });
}

describe("a command that reads provider files", () => {
  test.runIf(tellsOfProcesses).each([
    ["test", { code: 1, says: "the process that read it was ended by SIGKILL" }],
    ["export", { code: 0, says: "Left out for their problems: 1" }],
  ])(
    "mkt catalog %s outlives whatever reads the file for it",
    async (command, { code, says }) => {
      using home = mktHome();
      const dir = join(home.path, "foreign");
      mkdirSync(dir);
      writeFileSync(join(dir, "slow.yaml"), slow);

      const working = spawnMkt(["catalog", command, dir], { home });
      const [ended, killed] = await Promise.all([working, killReadersUntil(working)]);

      expect(ended).toMatchObject({ code, signal: null });
      expect(ended.stdout + ended.stderr).toContain(says);
      // It is asked once more before the file is told.
      expect(killed).toBe(2);
    },
    HANG_MS,
  );

  /** How many there were. */
  async function killReadersUntil(end: Promise<unknown>): Promise<number> {
    const killed = new Set<number>();
    const over = new AbortController();
    void end.finally(() => over.abort());
    while (!over.signal.aborted) {
      for (const reader of childrenOf(process.pid).flatMap(childrenOf)) {
        if (!isReader(reader)) continue;
        process.kill(reader, "SIGKILL");
        killed.add(reader);
      }
      await sleep(20);
    }
    return killed.size;
  }

  function isReader(pid: number): boolean {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--max-old-space-size=768");
    } catch {
      return false;
    }
  }
});

describe("mkt catalog import", () => {
  const heavy = openApi({ x: Array.from({ length: 600_000 }, (_, index) => ({ a: index })) });

  test(
    "names the document that takes too much memory, and the limit, and takes the others",
    async () => {
      using home = mktHome();
      using folder = documentFolder();
      const words = [folder.write("heavy.json", heavy), folder.write("good.json", openApi()), "--memory-limit", "40"];

      const { code, stdout, stderr } = await spawnMkt(["catalog", "import", ...words, "--price", "0.01"], { home });

      expect(code, stderr).toBe(0);
      expect(stdout).toContain("1 document with 2 endpoints imported");
      expect(stdout).toContain("heavy.json: It takes more memory than 40 MB. Split it, or raise --memory-limit.");
    },
    HANG_MS,
  );

  test.runIf(tellsOfProcesses)(
    "says that its reader was killed, leaves the daemon and its files alone, and works when it is tried again",
    async () => {
      using home = mktHome();
      using folder = documentFolder();
      await using daemon = await spawnDaemon({ home });
      const document = folder.write("heavy.json", heavy);

      const importing = spawnMkt(["catalog", "import", document, "--price", "0.01", "--json"], { home });
      await killReader();
      const killed = await importing;
      const again = await spawnMkt(["catalog", "import", document, "--price", "0.01", "--json"], { home });

      expect(killed.code, killed.stderr).toBe(5);
      expect(JSON.parse(killed.stdout).documents).toMatchObject([
        { file: document, error: { rule: "ended", message: expect.stringContaining("SIGKILL") } },
      ]);
      expect(again.code, again.stderr).toBe(0);
      expect(isAlive(daemon.pid)).toBe(true);
    },
    HANG_MS,
  );

  /** The one of the import that this process has started. */
  async function killReader(): Promise<void> {
    const isReader = (pid: number) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--max-old-space-size=512");
      } catch {
        return false;
      }
    };
    const readers = () => childrenOf(process.pid).flatMap(childrenOf).filter(isReader);
    await expect.poll(() => readers().length, SOON).toBe(1);
    for (const reader of readers()) process.kill(reader, "SIGKILL");
  }
});
