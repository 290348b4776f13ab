import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DatabaseUrl } from "../../daemon/config/database-settings.ts";
import { TargetDiffers } from "../../daemon/offline/migrate/copy-lines.ts";
import { migrateToDatabase, migrateToFolder } from "../../daemon/offline/migrate/migrate-data.ts";
import { readMoved } from "../../daemon/storage/moved-folder.ts";
import { openUseFile } from "../../daemon/storage/documents/use-file.ts";
import { reportTrial } from "../faults/trial.ts";
import { effort } from "../support/effort.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { fill } from "./filled-folder.ts";

const RUNS = effort(3_000, 100_000);
const HANG_MS = effort(180_000, 3_600_000);

describe.skipIf(!hasPostgres)(`moving everything (${NEEDS_POSTGRES})`, () => {
  test(
    `${RUNS} runs go into a database and back, equal to the cent and to the byte`,
    { timeout: HANG_MS },
    async (context) => {
      await using database = await emptyDatabase();
      using home = mktHome();
      const { dataDir, configDir } = home;
      await fill(dataDir, RUNS);
      mkdirSync(configDir, { recursive: true, mode: 0o700 });
      writeFileSync(join(configDir, "secrets.json"), '{"ACME_API_KEY":"value-of-acme"}\n', { mode: 0o600 });
      mkdirSync(join(dataDir, "docs"), { recursive: true, mode: 0o700 });
      writeFileSync(join(dataDir, "docs", "settings.json"), '{"discoverPool": 33}\n', { mode: 0o600 });
      const settings = { url: new DatabaseUrl(database.url) };
      const uses = openUseFile(dataDir);
      const use = { workspaceId: "w1", actor: "API_KEY#k1", provider: "p", endpoint: "/e", stems: ["rain"], count: 2 };
      await uses.write([{ ...use, day: 20_000 }]);
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

      // Otherwise the first questions go by guesses, and are slow until autovacuum has been there.
      const counted = await database.query(
        "select distinct tablename::text as table from pg_stats where tablename in ('lines', 'runs', 'movements', 'outputs', 'documents')",
      );
      expect(counted).toHaveLength(5);

      // The folder has been moved: it starts no daemon, and is not moved again.
      await expect(migrateToDatabase({ dataDir, configDir, database: settings, onProgress() {} })).rejects.toThrow(
        /were moved/,
      );

      const back = join(home.path, "back");
      const { from: _from, to: _to, documents: _documents, ...sums } = into;
      const out = await migrateToFolder({ dataDir: back, configDir, database: settings, onProgress() {} });
      expect(out).toMatchObject(sums);
      expect(JSON.parse(readFileSync(join(back, "docs", "settings.json"), "utf8"))).toEqual({ discoverPool: 33 });
      expect(await openUseFile(back).read()).toEqual([{ ...use, day: 20_000 }]);
      const { lines, outputs, outputBytes, micro, balances, content } = out;
      reportTrial(context, {
        what: "runs moved into a database and back, and compared",
        tried: RUNS,
        lost: into.runs - out.runs,
        note: `${lines} lines, ${outputs} outputs of ${outputBytes} bytes, ${micro} micro-dollars, balances ${balances}, lines ${content}`,
      });
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
      await expect(foreign).rejects.toThrow("starts no daemon");
      await database.query("delete from move");
      const unmarked = migrateToDatabase({ ...other, database: settings, onProgress() {} });
      await expect(unmarked).rejects.toThrow(TargetDiffers);
      // What has nothing to do with either is as it was.
      expect(await readMoved(other.dataDir)).toBeUndefined();
      expect(await database.query("select from move")).toEqual([]);

      const moved = await migrateToDatabase({ dataDir, configDir, database: settings, onProgress() {} });
      expect(moved.runs).toBe(594);
    },
  );
});
