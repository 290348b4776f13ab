import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

/**
 * The short forms of `npm run overload` and `npm run soak`: that nothing is lost and nothing left open. How fast it is
 * meanwhile is what their long forms measure.
 */
const SECONDS = 4;
const HANG_MS = 240_000;

async function measured(script: string): Promise<any> {
  using work = tempDir();
  const path = fileURLToPath(new URL(`../../bench/${script}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path, "--json"], {
    env: { ...process.env, MKT_BENCH_DIR: work.path, MKT_LOAD_SECONDS: String(SECONDS) },
    timeout: HANG_MS - 10_000,
  });
  return JSON.parse(stdout);
}

test(
  "a daemon that is asked for ten times what it can do refuses some of it, with the time to come again, and loses nothing",
  async () => {
    const found = await measured("overload.mjs");

    expect(found.shed).toBeGreaterThan(0);
    expect(found.taken.count).toBeGreaterThan(0);
    expect(found).toMatchObject({ refusedWithoutDelay: 0, otherStatuses: {}, lost: 0, uncharged: 0 });
    expect(found.acknowledgedKept).toBeGreaterThan(0);
    expect(found.descriptors).toMatchObject({ settled: true });
    expect(found.health.failures).toEqual([]);
  },
  HANG_MS,
);

test(
  "a daemon that is asked for everything at once leaves no descriptor and no temporary file behind",
  async () => {
    const found = await measured("soak.mjs");

    expect(found).toMatchObject({ failures: 0, descriptors: { settled: true }, temporaryFiles: { after: 0 } });
    expect(Object.values(found.done).every((times) => Number(times) > 0)).toBe(true);
    expect(Object.keys(found.done)).toHaveLength(12);
  },
  HANG_MS,
);
