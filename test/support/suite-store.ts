import { onTestFinished, type TestContext } from "vitest";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import type { DoctorReport } from "../../daemon/doctor/doctor.ts";
import type { Store } from "../../daemon/storage/store.ts";
import type { MktHome } from "./mkt-home.ts";
import { copyFolder } from "./copy-folder.ts";

/*
 * Where the suites keep their data: daemons in the files of their homes and stores in memory, unless `on-postgres.ts` runs
 * the same tests in databases. Nothing here knows PostgreSQL, so that a suite that needs no daemon stays cheap.
 */

/** Keeps the data of suites elsewhere. */
export interface SuiteStores {
  /** An empty store, gone when the test that is running has ended. */
  openStore(): Promise<Store>;
  /** What a daemon in this home is told about where its data are. */
  settingsOf(home: MktHome): Promise<Readonly<Record<string, string>>>;
  /** As `examineHome`. */
  examine(home: MktHome): Promise<DoctorReport>;
  /** As `dieLeaving`. */
  handOver(home: MktHome, next: MktHome): Promise<void>;
}

let elsewhere: SuiteStores | undefined;

/** From now on; undefined: in files and in memory again. */
export function keepIn(stores: SuiteStores | undefined): void {
  elsewhere = stores;
}

export async function storeSettings(home: MktHome): Promise<Readonly<Record<string, string>>> {
  return (await elsewhere?.settingsOf(home)) ?? {};
}

/** An empty store for the test that is running. */
export async function openSuiteStore(): Promise<Store> {
  if (elsewhere !== undefined) return await elsewhere.openStore();
  const store = openMemoryStore();
  onTestFinished(() => store.close());
  return store;
}

/** Of so many samples of a property, those that are tried: a database takes much longer to make than a store in memory. */
export function suiteSamples(all: number): number {
  return elsewhere === undefined ? all : Math.max(1, Math.ceil(all / 20));
}

/** Skips a test on PostgreSQL that is about the files of a data folder; `why` stands beside it in the results. */
export function needsFiles({ skip }: TestContext, why: string): void {
  if (elsewhere !== undefined) skip(`on files alone: ${why}`);
}

/** What the doctor finds in what the daemons of a home left. */
export async function examineHome(home: MktHome): Promise<DoctorReport> {
  if (elsewhere !== undefined) return await elsewhere.examine(home);
  const { examine } = await import("../../daemon/doctor/doctor.ts");
  return await examine({ dataDir: home.dataDir });
}

/**
 * The daemon of a home dies here, whatever it does: what kill -9 would leave of it is what a daemon in the next home starts
 * with. In a database it is fenced, so that it writes nothing more.
 */
export async function dieLeaving(home: MktHome, next: MktHome): Promise<void> {
  if (elsewhere !== undefined) await elsewhere.handOver(home, next);
  else copyFolder(home.dataDir, next.dataDir);
}
