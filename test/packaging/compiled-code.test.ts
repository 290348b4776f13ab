import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCodeCache } from "../../bin/compiled/code-cache.ts";
import { isTelling } from "../../bin/compiled/load-common-path.ts";
import { mktHome } from "../support/mkt-home.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const HANG_MS = 120_000;
const dist = join(import.meta.dirname, "../../dist");
const compiled = Buffer.from("compiled code");

/** A program beside whose file `compiled code` was kept. */
async function keptCode(folder: string) {
  const program = join(folder, "program.cjs");
  writeFileSync(program, "a text");
  const open = (text = "a text") => {
    const cache = openCodeCache(program, Buffer.from(text));
    return { ...cache, read: () => cache.read((bytes) => Buffer.from(bytes)) };
  };
  await open().write(() => compiled);
  const [name = ""] = readdirSync(join(folder, "compiled"));
  return { open, file: join(folder, "compiled", name), folder: join(folder, "compiled") };
}

test("compiled code is kept for exactly the text that it was made from", async () => {
  using folder = tempDir();
  const { open } = await keptCode(folder.path);

  expect(open().read()).toEqual(compiled);
  expect(open("b text").read()).toBeUndefined();
});

test("the bytes of compiled code are gone when they have been used", async () => {
  using folder = tempDir();
  const program = join(folder.path, "program.cjs");
  writeFileSync(program, "a text");
  const cache = openCodeCache(program, Buffer.from("a text"));
  await cache.write(() => compiled);

  const bytes = cache.read((used) => ({ used, length: used.length }));

  expect(bytes?.length).toBe(compiled.length);
  expect(bytes?.used.length).toBe(0);
});

test("of other builds and versions of Node only a few are left", async () => {
  using folder = tempDir();
  const kept = await keptCode(folder.path);

  for (const text of "abcdefghij") await kept.open(text).write(() => compiled);

  expect(readdirSync(kept.folder).length).toBeLessThanOrEqual(4);
  expect(kept.open("j").read()).toEqual(compiled);
});

test("the oldest of others go, and drafts that nobody can still be writing", async () => {
  using folder = tempDir();
  const kept = await keptCode(folder.path);
  const nameOf = async (text: string, hoursAgo: number) => {
    const before = readdirSync(kept.folder);
    await kept.open(text).write(() => compiled);
    const name = readdirSync(kept.folder).find((other) => !before.includes(other)) ?? "";
    setAge(name, hoursAgo);
    return name;
  };
  const setAge = (name: string, hours: number) => {
    const at = Date.now() / 1_000 - hours * 3_600;
    utimesSync(join(kept.folder, name), at, at);
  };
  renameSync(kept.file, join(kept.folder, "program.cjs-0.bin"));
  setAge("program.cjs-0.bin", 9);
  const [older, newest] = [await nameOf("b", 3), await nameOf("c", 0.5)];
  writeFileSync(join(kept.folder, "program.cjs-1.bin.7.tmp"), "being written");
  writeFileSync(join(kept.folder, "program.cjs-1.bin.8.tmp"), "left");
  setAge("program.cjs-1.bin.8.tmp", 2);
  writeFileSync(join(kept.folder, "program.cjs-2.bin"), "an hour old");
  setAge("program.cjs-2.bin", 1);

  const current = await nameOf("d", 0);

  expect(readdirSync(kept.folder).toSorted()).toEqual(
    [older, newest, "program.cjs-2.bin", "program.cjs-1.bin.7.tmp", current].toSorted(),
  );
});

test("compiled code is not gathered where it cannot be kept", async () => {
  using folder = tempDir();
  const program = join(folder.path, "program.cjs");
  writeFileSync(program, "a text");
  // In the place of the folder; root may write wherever the mode forbids it.
  writeFileSync(join(folder.path, "compiled"), "");
  let gathered = 0;

  await openCodeCache(program, Buffer.from("a text")).write(() => {
    gathered += 1;
    return compiled;
  });

  expect(gathered).toBe(0);
});

describe("the compiled code of a call", () => {
  test.each([
    [["run", "atlas/sun", "latitude=38.7", "longitude=-9.1"]],
    [["--json", "run", "atlas/sun"]],
    [["get-run", "01J", "-q"]],
  ])("%j tells what most calls need", (words) => {
    expect(isTelling(words, 0)).toBe(true);
  });

  test.each([
    ["that failed", ["run", "atlas/sun"], 9],
    ["that showed help", ["run", "--help"], 0],
    ["that showed help", ["discover", "-qh"], 0],
    ["that showed help", ["help", "run"], 0],
    ["of another command", ["keys", "list"], 0],
    ["without a command", ["--json"], 0],
  ])("%s does not: %j", (_, words, exitCode) => {
    expect(isTelling(words, exitCode)).toBe(false);
  });
});

describe("compiled code is not run", () => {
  test.each<[string, (kept: { readonly file: string; readonly folder: string }) => void]>([
    ["that is cut off", ({ file }) => writeFileSync(file, readFileSync(file).subarray(0, 9))],
    ["that is empty", ({ file }) => writeFileSync(file, "")],
    ["of which a bit fell over", ({ file }) => writeFileSync(file, flipped(readFileSync(file)))],
    ["that others may write", ({ file }) => chmodSync(file, 0o666)],
    ["in a folder that others may write", ({ folder }) => chmodSync(folder, 0o777)],
    ["behind a link", ({ file }) => moveBehindLink(file)],
    ["in a folder behind a link", ({ folder }) => moveBehindLink(folder)],
  ])("%s", async (_, spoil) => {
    using folder = tempDir();
    const kept = await keptCode(folder.path);

    spoil(kept);

    expect(kept.open().read()).toBeUndefined();
  });
});

function flipped(bytes: Buffer): Buffer {
  bytes[9] = (bytes[9] ?? 0) ^ 1;
  return bytes;
}

function moveBehindLink(path: string): void {
  renameSync(path, `${path}-moved`);
  symlinkSync(`${path}-moved`, path);
}

test(
  "a daemon keeps its compiled code when it is ready, and a call when it has ended; both work with it, without it, and with what is damaged",
  { timeout: HANG_MS },
  async () => {
    using folder = tempDir();
    const copy = join(folder.path, "dist");
    mkdirSync(copy);
    const isCopied = (path: string) => !path.endsWith(".map") && !path.startsWith(join(dist, "compiled"));
    cpSync(dist, copy, { recursive: true, filter: isCopied });
    writeFileSync(join(folder.path, "package.json"), '{"type":"module"}');
    const program = join(copy, "mkt.js");
    const kept = () => readdirSync(join(copy, "compiled")).filter((name) => name.startsWith("daemon.cjs-"));
    const keptOfCalls = () => readdirSync(join(copy, "compiled")).filter((name) => name.startsWith("common-path.cjs-"));
    using home = mktHome();
    const call = (...words: string[]) => spawnMkt(words, { home, program });
    const startAndAsk = async (ask?: () => Promise<void>) => {
      await using daemon = await spawnDaemon({ program, home, manifests });
      expect((await daemon.request("GET", "/health")).body).toMatchObject({ status: "ok" });
      await expect.poll(kept).toHaveLength(1);
      await ask?.();
      expect(await daemon.kill()).toMatchObject({ code: 0 });
    };
    const manifests = { meteo: weatherManifest("http://127.0.0.1:1") };

    await startAndAsk(async () => {
      expect(await call("run", "--help")).toMatchObject({ code: 0 });
      expect((await call("inspect", "meteo/nowhere")).code).toBeGreaterThan(0);
      expect(keptOfCalls()).toEqual([]);

      const inspect = ["--json", "inspect", "meteo/now"];
      const [compiling, cached] = [await call(...inspect), await call(...inspect)];
      expect(compiling).toMatchObject({ code: 0, stderr: "" });
      expect(cached).toEqual(compiling);
      const [ofCalls = ""] = keptOfCalls();
      writeFileSync(join(copy, "compiled", ofCalls), "cut off");
      expect(await call(...inspect)).toEqual(compiling);
      expect(readFileSync(join(copy, "compiled", ofCalls)).length).toBeGreaterThan(100_000);
    });
    const [name = ""] = kept();
    const first = readFileSync(join(copy, "compiled", name));
    await startAndAsk();
    // By `equals`: `toEqual` takes seconds for as many bytes.
    expect(readFileSync(join(copy, "compiled", name)).equals(first)).toBe(true);

    writeFileSync(join(copy, "compiled", name), first.subarray(0, 1_000_000));
    await startAndAsk();
    await expect.poll(() => readFileSync(join(copy, "compiled", name)).length).toBeGreaterThan(1_000_000);
  },
);
