import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DatabaseUrl } from "../../daemon/config/database-settings.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { TargetDiffers } from "../../daemon/offline/migrate/copy-lines.ts";
import { migrateToDatabase, migrateToFolder } from "../../daemon/offline/migrate/migrate-data.ts";
import { nodeFiles } from "../../daemon/storage/files.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { effort } from "../support/effort.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { unflushed } from "../support/unflushed-files.ts";

const RUNS = effort(3_000, 100_000);
const HANG_MS = effort(180_000, 3_600_000);

/** A folder with small, large and odd outputs, large inputs, and runs that are still open. */
async function fill(dataDir: string, runs: number): Promise<void> {
  await using store = await openJournalStore({ dataDir, files: unflushed(nodeFiles()), onFatal: () => {} });
  await store.commit({ line: ownerCreated(100_000_000_000) });
  const newId = createIdSource();
  for (let begun = 0; begun < runs; begun += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const runId = newId();
        const input = { queryParams: { city: "Lissabon", note: "x".repeat(index === 7 ? 20_000 : 20) } };
        await store.commit({ line: runAccepted(runId, { input }) });
        if (index !== 3) await store.commit({ line: runDone(runId, { input, output: outputOf(begun + index) }) });
      }),
    );
  }
}

function outputOf(n: number): unknown {
  if (n % 500 === 11) return { text: "ü\u0000 \u{1F600} ".repeat(20_000), n };
  if (n % 7 === 0) return null;
  return n % 5 === 0 ? ["a", 0.1 + n, -0, 1e21, ""] : { n, __proto__: null, nested: { é: "\u2028" } };
}

describe.skipIf(!hasPostgres)(`moving everything (${NEEDS_POSTGRES})`, () => {
  test(
    `${RUNS} runs go into a database and back, equal to the cent and to the byte`,
    { timeout: HANG_MS },
    async () => {
      await using database = await emptyDatabase();
      using home = mktHome();
      const { dataDir, configDir } = home;
      await fill(dataDir, RUNS);
      mkdirSync(configDir, { recursive: true, mode: 0o700 });
      writeFileSync(join(configDir, "secrets.json"), '{"ACME_API_KEY":"value-of-acme"}\n', { mode: 0o600 });
      mkdirSync(join(dataDir, "docs"), { recursive: true, mode: 0o700 });
      writeFileSync(join(dataDir, "docs", "settings.json"), '{"discoverPool": 33}\n', { mode: 0o600 });
      const settings = { url: new DatabaseUrl(database.url) };
      const steps: number[] = [];
      const into = await migrateToDatabase({
        dataDir,
        configDir,
        database: settings,
        onProgress: (lines, of) => steps.push(lines / of),
      });
      expect(steps.at(-1)).toBeGreaterThan(0.99);
      expect(into.runs).toBe((RUNS / 100) * 99);
      expect(JSON.stringify(await database.query("select body from documents"))).not.toContain("value-of-acme");

      // The folder has been moved: it starts no daemon, and is not moved again.
      await expect(migrateToDatabase({ dataDir, configDir, database: settings, onProgress() {} })).rejects.toThrow(
        /were moved/,
      );

      const back = join(home.path, "back");
      const { from: _from, to: _to, documents: _documents, ...sums } = into;
      const out = await migrateToFolder({ dataDir: back, configDir, database: settings, onProgress() {} });
      expect(out).toMatchObject(sums);
      expect(JSON.parse(readFileSync(join(back, "docs", "settings.json"), "utf8"))).toEqual({ discoverPool: 33 });
    },
  );

  test(
    "an interrupted move goes on where it was, and another folder does not go on with it",
    { timeout: HANG_MS },
    async () => {
      await using database = await emptyDatabase();
      using home = mktHome();
      using other = mktHome();
      const { dataDir, configDir } = home;
      await fill(dataDir, 600);
      const settings = { url: new DatabaseUrl(database.url) };
      const interrupted = migrateToDatabase({
        dataDir,
        configDir,
        database: settings,
        // As soon as something is there, its database lets nobody write any more.
        onProgress() {
          throw new Error("the power failed");
        },
      });
      await expect(interrupted).rejects.toThrow("the power failed");
      const [count] = await database.query("select count(*) as lines from lines");
      expect(Number(count?.["lines"])).toBeGreaterThan(0);

      await fill(other.dataDir, 600);
      const foreign = migrateToDatabase({ ...other, database: settings, onProgress() {} });
      await expect(foreign).rejects.toThrow(TargetDiffers);

      const moved = await migrateToDatabase({ dataDir, configDir, database: settings, onProgress() {} });
      expect(moved.runs).toBe(594);
    },
  );
});
