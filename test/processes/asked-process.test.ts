import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { AskedProcess, type ReaderLimits } from "../../daemon/processes/asked-process.ts";
import { FrameReader, toFrame } from "../../daemon/processes/frames.ts";
import { childrenOf, tellsOfProcesses } from "../support/child-processes.ts";

const HANG_MS = 60_000;
const LIMITS: ReaderLimits = { timeoutMs: 30_000, memoryMegabytes: 64 };

/** What a reader might do while it reads. */
const readerProgram = `
import { readFileSync, writeFileSync } from "node:fs";
import { serveQuestions } from "./daemon/processes/serve-questions.ts";
const kept = [];
void serveQuestions(async ({ ask, bytes, path }) => {
  switch (ask) {
    case "length": return bytes.length;
    case "heap": for (;;) kept.push({ text: Math.random() });
    case "outside": for (;;) { kept.push(Buffer.alloc(1e7, 1)); await new Promise((resolve) => setTimeout(resolve, 5)); }
    case "turn": for (;;);
    case "throw": throw new Error("that was wrong");
    case "deep": return (function down() { return down(); })();
    case "long": return Array(20).fill("x".repeat(1e7));
    case "exit": process.exit(7);
    case "read": return readFileSync(path, "utf8").length;
    case "write": return writeFileSync(path, "mine");
    case "spawn": return (await import("node:child_process")).spawnSync("true").status;
    case "secrets": return Object.keys(process.env);
    case "connect": {
      const { connect } = await import("node:net");
      return await new Promise((resolve, reject) => connect(1, "127.0.0.1", resolve).on("error", reject));
    }
  }
});
`;

let script: Uint8Array;

beforeAll(async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: readerProgram, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "cjs",
    platform: "node",
    write: false,
  });
  script = outputFiles[0]?.contents ?? new Uint8Array();
}, HANG_MS);

/** A reader that goes with the test. */
function asked(limits: Partial<ReaderLimits> = {}, readsFiles = false) {
  const reader = new AskedProcess({ script, limits: { ...LIMITS, ...limits }, readsFiles });
  return Object.assign(reader, { [Symbol.asyncDispose]: () => reader.close() });
}

describe("a process that is asked", { timeout: HANG_MS }, () => {
  test("started before its first question, is the one that answers it, and tells only then that it could not start", async () => {
    await using one = asked();
    const broken = new AskedProcess({ script: "/nowhere/reader.cjs", limits: LIMITS, readsFiles: false });

    one.start();
    broken.start();

    expect(await one.ask({ ask: "length", bytes: new Uint8Array(3) })).toBe(3);
    await expect(broken.ask({ ask: "length" })).rejects.toThrow("ENOENT");
  });

  test("takes bytes, answers one question after the other, and goes on after one that fails", async () => {
    await using one = asked();

    expect(await one.ask({ ask: "length", bytes: new Uint8Array(20_000_000) })).toBe(20_000_000);
    await expect(one.ask({ ask: "throw" })).rejects.toMatchObject({ why: "failed", message: "that was wrong" });
    await expect(one.ask({ ask: "deep" })).rejects.toMatchObject({ why: "failed", message: "it nests too deep" });
    expect(await one.ask({ ask: "length", bytes: new Uint8Array(1) })).toBe(1);
  });

  test.each([
    ["a heap that grows", "heap"],
    ["memory that grows outside of the heap", "outside"],
  ])("is ended for %s, and the next question gets a new one", async (_, ask) => {
    await using one = asked();

    await expect(one.ask({ ask })).rejects.toMatchObject({
      why: "memory",
      message: "it takes more memory than 64 MB",
    });
    expect(await one.ask({ ask: "length", bytes: new Uint8Array(3) })).toBe(3);
  });

  test("is ended when it takes too long, also in the middle of a step", async () => {
    await using one = asked({ timeoutMs: 3_000 });
    const others = tellsOfProcesses ? childrenOf(process.pid) : [];

    await expect(one.ask({ ask: "turn" })).rejects.toMatchObject({ why: "time", message: "it takes longer than 3 s" });
    if (tellsOfProcesses) expect(childrenOf(process.pid)).toEqual(others);
  });

  test("is ended when its answer is larger than whoever asked may take in", async () => {
    await using one = asked({ memoryMegabytes: 1_024 });

    await expect(one.ask({ ask: "long" })).rejects.toMatchObject({
      why: "memory",
      message: expect.stringContaining("128 MB"),
    });
  });

  test("that ends by itself says how", async () => {
    await using one = asked();

    await expect(one.ask({ ask: "exit" })).rejects.toMatchObject({
      why: "ended",
      message: "the process that read it was ended with code 7",
    });
  });

  test("has no environment, starts nothing and writes nothing; it reads only where that is its work", async () => {
    await using one = asked();
    await using other = asked({}, true);
    const path = fileURLToPath(import.meta.url);

    expect(await one.ask({ ask: "secrets" })).toEqual([]);
    await expect(one.ask({ ask: "read", path })).rejects.toThrow(/restricted/);
    await expect(one.ask({ ask: "spawn" })).rejects.toThrow(/restricted/);
    await expect(other.ask({ ask: "write", path })).rejects.toThrow(/restricted/);
    expect(await other.ask({ ask: "read", path })).toBeGreaterThan(100);
  });

  test.runIf(process.allowedNodeEnvironmentFlags.has("--allow-net"))("reaches no network", async () => {
    await using one = asked();

    await expect(one.ask({ ask: "connect" })).rejects.toThrow(/restricted/);
  });

  test("that cannot be started says so", async () => {
    const one = new AskedProcess({ script: Buffer.from("not a program"), limits: LIMITS, readsFiles: false });

    await expect(one.ask({ ask: "length" })).rejects.toMatchObject({ why: "ended" });
  });
});

test("messages are put together whatever pieces they come in", () => {
  const texts = ["", "a", "x".repeat(1_000), "end"];
  const all = Buffer.concat(texts.flatMap((text) => toFrame(Buffer.from(text))));
  for (const size of [1, 3, 7, 500, all.length]) {
    const frames = new FrameReader(2_000);
    const got: string[] = [];
    for (let at = 0; at < all.length; at += size) {
      for (const message of frames.take(all.subarray(at, at + size))) got.push(Buffer.from(message).toString());
    }
    expect(got).toEqual(texts);
  }
  expect(() => new FrameReader(10).take(Buffer.concat(toFrame(Buffer.alloc(11))))).toThrow(RangeError);
});
