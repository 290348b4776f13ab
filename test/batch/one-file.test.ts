import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktProgram, spawnDaemon } from "../support/spawn-mkt.ts";
import { manifestOf, sortedResults } from "./batch-market.ts";

/** Two processes with one file of results. docs/command-line.md, "Batches". */

test.each(["out.jsonl", "out.sqlite"])(
  "of batches of other rows that begin together on %s at most one writes, and the others have sent nothing",
  async (name) => {
    await using vendor = await startFakeProvider();
    vendor.on("GET /price", ({ query }) => ({ json: { item: query.get("item") }, delayMs: 50 }));
    await using daemon = await spawnDaemon({ manifests: { vendor: manifestOf(vendor.url) } });
    const { home } = daemon;
    const out = join(home.path, name);
    const batch = (who: string): ChildProcess => {
      const rows = join(home.path, `${who}.jsonl`);
      writeFileSync(rows, Array.from({ length: 30 }, (_, at) => `{"item":"${who}${at}"}\n`).join(""));
      return spawn(process.execPath, [mktProgram, "batch", "vendor/price", rows, "-o", out, "--concurrency", "1"], {
        env: { ...process.env, ...home.environment },
        stdio: "ignore",
      });
    };

    const ended = ["a", "b", "c"].map((who) => once(batch(who), "exit") as Promise<[number]>);
    const codes = (await Promise.all(ended)).map(([code]) => code);

    const written = codes.indexOf(0);
    expect(codes.filter((_, at) => at !== written)).toEqual(Array(written < 0 ? 3 : 2).fill(5));
    const senders = new Set(vendor.calls.map(({ query }) => query.get("item")?.slice(0, 1)));
    expect([...senders]).toEqual(written < 0 ? [] : ["abc"[written]]);
    expect(existsSync(out)).toBe(written >= 0);
    if (written >= 0 && name.endsWith("jsonl")) {
      expect(sortedResults(readFileSync(out, "utf8")).map(({ index }) => index)).toEqual(
        Array.from({ length: 30 }, (_, at) => at),
      );
    }
    expect(readdirSync(join(home.configDir, "batches"))).toEqual([]);
  },
  60_000,
);
