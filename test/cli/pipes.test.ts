import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktProgram, type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";

const bigOutput = { rows: Array.from({ length: 20_000 }, (_, id) => ({ id, text: "x".repeat(40) })) };

let upstream: Awaited<ReturnType<typeof startFakeProvider>>;
let daemon: SpawnedDaemon;
beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /big", { json: bigOutput });
  const endpoint = { request: { method: "GET", path: "/big" }, price: { type: "FREE" } };
  const http = { baseUrl: upstream.url, allowPrivateNetwork: true };
  daemon = await spawnDaemon({ manifests: { shop: { http, endpoints: { "/big": endpoint } } } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

describe("a reader that goes away", () => {
  test.each([["run shop/big"], ["run shop/big --json"], ["endpoints"], ["--help"]])(
    "ends mkt %s quietly",
    async (words) => {
      const child = start("bash", [
        "-c",
        `"$0" "$1" ${words} | head -c 5 >/dev/null; exit \${PIPESTATUS[0]}`,
        process.execPath,
        mktProgram,
      ]);

      expect(await outcomeOf(child)).toMatchObject({ code: 0, stderr: expect.not.stringContaining("EPIPE") });
    },
  );
});

describe("standard input that nobody closes", () => {
  test.each([["whoami"], ["run shop/big --json"], ["discover anything"]])("does not hold mkt %s up", async (words) => {
    const child = startMkt(words);

    expect(await outcomeOf(child)).toMatchObject({ code: 0 });
  });

  test("holds -i - up, which is to read it all, until Ctrl-C", async () => {
    const child = startMkt("run shop/big -i -");
    child.stdin?.write('{"half": ');
    await delay(500);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    child.kill("SIGINT");

    const { code, signal } = await outcomeOf(child);
    expect(signal ?? code).toBeOneOf(["SIGINT", 130]);
  });
});

describe("a reader that takes its time", () => {
  test("gets every byte", async () => {
    const child = startMkt("run shop/big --json");
    child.stdout?.pause();
    await delay(1_500);
    child.stdout?.resume();

    const { code, stdout } = await outcomeOf(child);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).output).toEqual(bigOutput);
  });
});

function startMkt(words: string): ChildProcess {
  return start(process.execPath, [mktProgram, ...words.split(" ")]);
}

function start(program: string, words: readonly string[]): ChildProcess {
  return spawn(program, words, { env: daemon.home.environment, stdio: ["pipe", "pipe", "pipe"] });
}

/** How a process ended; its standard input stays open until then. */
async function outcomeOf(child: ChildProcess) {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => (texts[name] += text));
  }
  const [code, signal] = await once(child, "close");
  child.stdin?.destroy();
  return { code: code as number | null, signal: signal as string | null, ...texts };
}
