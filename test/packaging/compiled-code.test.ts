import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCodeCache } from "../../bin/compiled/code-cache.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";

const HANG_MS = 120_000;
const dist = join(import.meta.dirname, "../../dist");
const compiled = Buffer.from("compiled code");

/** A program beside whose file `compiled code` was kept. */
async function keptCode(folder: string) {
  const program = join(folder, "program.cjs");
  writeFileSync(program, "a text");
  const open = (text = "a text") => openCodeCache(program, Buffer.from(text));
  await open().write(compiled);
  const [name = ""] = readdirSync(join(folder, "compiled"));
  return { open, file: join(folder, "compiled", name), folder: join(folder, "compiled") };
}

test("compiled code is kept for exactly the text that it was made from", async () => {
  using folder = tempDir();
  const { open } = await keptCode(folder.path);

  expect(open().read()).toEqual(compiled);
  expect(open("b text").read()).toBeUndefined();
});

test("of other builds and versions of Node only a few are left", async () => {
  using folder = tempDir();
  const kept = await keptCode(folder.path);

  for (const text of "abcdefghij") await kept.open(text).write(compiled);

  expect(readdirSync(kept.folder).length).toBeLessThanOrEqual(4);
  expect(kept.open("j").read()).toEqual(compiled);
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
    const startAndAsk = async () => {
      await using daemon = await spawnDaemon({ program });
      expect((await daemon.request("GET", "/health")).body).toMatchObject({ status: "ok" });
      await expect.poll(kept).toHaveLength(1);
      expect(await daemon.kill()).toMatchObject({ code: 0 });
    };

    const environment = { HOME: folder.path, MKT_NO_AUTOSTART: "1", MKT_CONFIG_DIR: copy, MKT_DATA_DIR: copy };
    const call = () => spawnSync(process.execPath, [program, "inspect", "atlas/sun", "--json"], { env: environment });
    const keptOfCalls = () => readdirSync(join(copy, "compiled")).filter((name) => name.startsWith("common-path.cjs-"));
    const [compiling, cached] = [call(), call()];
    expect(compiling.status).toBeGreaterThan(0);
    expect(cached).toMatchObject({ status: compiling.status, stderr: compiling.stderr, stdout: compiling.stdout });
    const [ofCalls = ""] = keptOfCalls();
    writeFileSync(join(copy, "compiled", ofCalls), "cut off");
    expect(call()).toMatchObject({ status: compiling.status, stderr: compiling.stderr });
    expect(readFileSync(join(copy, "compiled", ofCalls)).length).toBeGreaterThan(100_000);

    await startAndAsk();
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
