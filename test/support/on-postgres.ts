import { afterAll, beforeAll, describe, vi } from "vitest";
import { isLong } from "./effort.ts";
import { hasPostgres, NEEDS_POSTGRES } from "./postgres.ts";
import { DatabasePerHome, keepIn } from "./store-of-daemons.ts";

/** A daemon there starts more slowly than one on files, whose tests these are. */
const HANG_MS = 120_000;

export interface SuitesOnPostgres {
  /** Files of the folder whose tests run again in `npm test`: the most telling ones for their processor time. */
  readonly always: readonly string[];
  /** Those that run again only with `MKT_TEST_EFFORT=long`. */
  readonly long: readonly string[];
}

/** Runs the tests of files once more, with daemons that keep everything in PostgreSQL. `from`: the `import.meta.url` of the caller. */
export async function onPostgres(from: string, { always, long }: SuitesOnPostgres): Promise<void> {
  const files = isLong ? [...always, ...long] : always;
  vi.setConfig({ hookTimeout: HANG_MS, testTimeout: HANG_MS });
  for (const file of files) {
    describe.skipIf(!hasPostgres)(`on PostgreSQL (${NEEDS_POSTGRES}): ${file}`, async () => {
      const databases = new DatabasePerHome();
      beforeAll(() => keepIn(databases));
      afterAll(async () => {
        keepIn(undefined);
        await databases[Symbol.asyncDispose]();
      });
      // Another address than that of the file itself, whose tests this process may have loaded already.
      await import(/* @vite-ignore */ `${new URL(file, from).pathname}?on=postgres`);
    });
  }
  afterAll(() => vi.resetConfig());
}
