import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { systemClock } from "../../daemon/base/clock.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import type { DaemonConfig } from "../../daemon/config/daemon-config.ts";
import { OutcomeUnknown, StorageAway } from "../../daemon/ledger/transaction/commit-errors.ts";
import { openOwnerAccess } from "../../daemon/start/open-owner-access.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { tempDir } from "../support/temp-dir.ts";

const URLS = { url: "http://127.0.0.1:1", registryUrl: "http://127.0.0.1:2" };

function setUp(path: string) {
  const config = {
    configDir: join(path, "config"),
    dataDir: join(path, "data"),
    version: "1",
    startingCredit: "unlimited",
  } as unknown as DaemonConfig;
  const told: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line: string) => void told.push(line) });
  const start = async (commitFails?: Error) => {
    const store = openMemoryStore();
    if (commitFails !== undefined) store.commit = () => Promise.reject(commitFails);
    await openOwnerAccess({ store, config, clock: systemClock, newId: createIdSource(), logger }, URLS);
  };
  return {
    start,
    told,
    read: () => readLocalDaemonFile(config.configDir, config.dataDir),
    local: join(path, "config/local"),
  };
}

test("a new owner leaves the key of another store in a file of its own, and the log says where", async () => {
  using folder = tempDir();
  const { start, told, read, local } = setUp(folder.path);
  await start();
  const before = await read();

  await start();

  const [copy] = readdirSync(local).filter((name) => name.includes("-before-"));
  expect((await read())?.key).not.toBe(before?.key);
  expect(JSON.parse(readFileSync(join(local, copy ?? ""), "utf8"))).toEqual(before);
  expect(told).toEqual([expect.stringContaining(copy ?? "none")]);
});

test("an owner that could not be made leaves the file as it was", async () => {
  using folder = tempDir();
  const { start, told, read, local } = setUp(folder.path);
  await start();
  const before = await read();

  await expect(start(new StorageAway("away"))).rejects.toThrow("away");

  expect(await read()).toEqual(before);
  expect(readdirSync(local)).toHaveLength(1);
  expect(told).toEqual([]);
});

test("an owner that may have been made leaves both keys", async () => {
  using folder = tempDir();
  const { start, told, read, local } = setUp(folder.path);
  await start();
  const before = await read();

  await expect(start(new OutcomeUnknown("lost"))).rejects.toThrow("lost");

  const texts = readdirSync(local).map((name) => readFileSync(join(local, name), "utf8"));
  expect(texts.filter((text) => text.includes(before?.key ?? ""))).toHaveLength(1);
  expect((await read())?.key).not.toBe(before?.key);
  expect(told).toHaveLength(1);
});
