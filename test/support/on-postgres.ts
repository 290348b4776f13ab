import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isLong } from "./effort.ts";
import { hasPostgres, NEEDS_POSTGRES } from "./postgres.ts";
import { DatabasePerHome } from "./store-of-daemons.ts";
import { keepIn } from "./suite-store.ts";

/** A daemon there starts more slowly than one on files, whose tests these are. */
const HANG_MS = 120_000;
const OWN_NAME = "on-postgres.test.ts";

export interface SuitesOnPostgres {
  /** Files of the folder whose tests run again in `npm test`: the most telling ones for their processor time. */
  readonly always: readonly string[];
  /** Those that run again only with `MKT_TEST_EFFORT=long`. */
  readonly long: readonly string[];
  /** Those that never do, each with the reason. */
  readonly never: Readonly<Record<string, string>>;
}

/** Runs the tests of files once more, with daemons that keep everything in PostgreSQL. `from`: the `import.meta.url` of the caller. */
export async function onPostgres(from: string, { always, long, never }: SuitesOnPostgres): Promise<void> {
  test("every test file of this folder runs on PostgreSQL too, or the list says why not", () => {
    const listed = [...always, ...long, ...Object.keys(never)].map((file) => file.replace("./", ""));
    const folder = fileURLToPath(new URL(".", from));
    const there = readdirSync(folder).filter((name) => name.endsWith(".test.ts") && name !== OWN_NAME);
    expect(listed.sort()).toEqual(there.sort());
  });

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
