import { appendFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  contentKey,
  lateContentCache,
  openContentCache,
} from "../../../../daemon/discovery/services/vectors/content-cache.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const key = (name: string) => contentKey([name]);
const value = (text: string) => Buffer.from(text);
const record = (name: string, text = `value of ${name}`) => ({ key: key(name), value: value(text) });

/** What a cache at this path has of some names, opened anew. */
async function readAgain(path: string, names: readonly string[]): Promise<(string | undefined)[]> {
  const cache = await openContentCache({ path, maxBytes: 1_000_000 });
  const found = await Promise.all(names.map((name) => cache.find(key(name))));
  await cache.close();
  return found.map((bytes) => (bytes === undefined ? undefined : Buffer.from(bytes).toString()));
}

async function writeThree(path: string): Promise<void> {
  const cache = await openContentCache({ path, maxBytes: 1_000_000 });
  await cache.put([record("one"), record("two")]);
  await cache.put([record("three")]);
  await cache.close();
}

const NAMES = ["one", "two", "three"];

describe("a cache by content", () => {
  test("has after a restart what was put into it, for its owner alone", async () => {
    using folder = tempDir();
    const path = join(folder.path, "new", "a.cache");

    await writeThree(path);

    expect(await readAgain(path, [...NAMES, "four"])).toEqual([
      "value of one",
      "value of two",
      "value of three",
      undefined,
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("goes on after a record that a crash tore", async () => {
    using folder = tempDir();
    const path = join(folder.path, "a.cache");
    await writeThree(path);
    await truncate(path, (await stat(path)).size - 3);

    const cache = await openContentCache({ path, maxBytes: 1_000_000 });
    await cache.put([record("four")]);
    await cache.close();

    expect(await readAgain(path, [...NAMES, "four"])).toEqual([
      "value of one",
      "value of two",
      undefined,
      "value of four",
    ]);
  });

  test("gives back nothing that is not as it was written, wherever it was changed", async () => {
    using folder = tempDir();
    const path = join(folder.path, "a.cache");
    await writeThree(path);
    const whole = await readFile(path);

    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x41;
      await writeFile(path, damaged);
      const found = await readAgain(path, NAMES);
      found.forEach((text, place) => expect([undefined, `value of ${NAMES[place]}`]).toContain(text));
    }
  });

  test("takes a file of something else for an empty one", async () => {
    using folder = tempDir();
    const path = join(folder.path, "a.cache");
    await appendFile(path, "this is no cache, but quite a long text about something else");

    await writeThree(path);

    expect(await readAgain(path, NAMES)).toEqual(["value of one", "value of two", "value of three"]);
  });

  test("stays within its limit, and lets go of what was not used lately", async () => {
    using folder = tempDir();
    const path = join(folder.path, "a.cache");
    const cache = await openContentCache({ path, maxBytes: 2_000 });

    for (let count = 0; count < 100; count += 1) {
      await cache.put([record(`number ${count}`, "x".repeat(76))]);
      await cache.find(key("number 0"));
      expect((await stat(path)).size).toBeLessThanOrEqual(2_000);
    }

    expect(await cache.find(key("number 0"))).toBeDefined();
    expect(await cache.find(key("number 1"))).toBeUndefined();
    expect(Buffer.from((await cache.find(key("number 99"))) ?? []).toString()).toBe("x".repeat(76));
    await cache.close();
  });

  test("reads rightly while it is written to and made smaller", async () => {
    using folder = tempDir();
    const cache = await openContentCache({ path: join(folder.path, "a.cache"), maxBytes: 3_000 });

    const reads = Array.from({ length: 200 }, async (_, count) => {
      void cache.put([record(`${count}`, `${count}`.repeat(20))]);
      return Buffer.from((await cache.find(key(`${count}`))) ?? []).toString();
    });

    expect(await Promise.all(reads)).toEqual(Array.from({ length: 200 }, (_, count) => `${count}`.repeat(20)));
    await cache.close();
  });

  test("that cannot be opened is empty, and says why once", async () => {
    using folder = tempDir();
    const told: unknown[] = [];
    const path = join(folder.path, "a file", "a.cache");
    await writeFile(join(folder.path, "a file"), "");

    const cache = lateContentCache(openContentCache({ path, maxBytes: 1_000 }), (error) => told.push(error));
    await cache.put([record("one")]);

    expect(await cache.find(key("one"))).toBeUndefined();
    expect(told).toHaveLength(1);
    await cache.close();
  });
});
