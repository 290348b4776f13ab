import { expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { bookFromJson, bookToJson, withLaterMembers } from "../../daemon/storage/book/book-json.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { applyToBook, emptyBook } from "../../daemon/storage/book/book.ts";
import { nodeFiles, type Files } from "../../daemon/storage/files.ts";
import { BoundedCache } from "../../daemon/storage/journal/indexes/bounded-cache.ts";
import { makeBloomFilter, mayContain } from "../../daemon/storage/journal/indexes/bloom-filter.ts";
import { FilePool } from "../../daemon/storage/journal/disk/file-pool.ts";
import { mergeNewestFirst } from "../../daemon/storage/merge-newest-first.ts";
import { SimulatedDisk } from "../faults/simulated-disk.ts";
import { AT, keyCreated, ownerCreated, runAccepted, runDone, webhookCreated, workspaceCreated } from "./lines.ts";

test("a book is the same after its way through JSON, and shares nothing with another from the same text", () => {
  const book = emptyBook();
  const control = {
    kind: "runCap" as const,
    controlId: "c1",
    workspaceId: "w1",
    limitMicroDollars: microDollars(5),
    status: "ACTIVE" as const,
    createdAt: AT,
    updatedAt: AT,
  };
  const idem = { key: "k", request: "r", status: 201, body: { maps: [["a", 1]] } };
  const lines = [
    ownerCreated(),
    { ...workspaceCreated("w2"), idem },
    keyCreated("k2"),
    { t: "control.created" as const, v: 1 as const, at: AT, ws: "w1", by: "x", control },
    runAccepted("r1", { meteredAt: AT, keyId: "k1" }),
    webhookCreated("h1"),
    { ...runDone("r1", { meteredAt: AT, keyId: "k1" }), events: [{ type: "run.completed", to: [["h1", "msg_1"]] }] },
    { t: "webhook.condition" as const, v: 1 as const, at: AT, ws: "w1", condition: "c", holds: true },
  ] as Line[];
  for (const line of lines) applyToBook(book, line);

  const text = JSON.stringify(bookToJson(book));
  const again = bookFromJson(JSON.parse(text));
  applyToBook(bookFromJson(JSON.parse(text)), keyCreated("k3"));

  expect(again).toEqual(book);
});

test("a book from before webhooks has none", () => {
  const { webhooks: _later, ...before } = bookToJson(emptyBook()) as Record<string, object>;

  expect(bookFromJson(withLaterMembers(before))).toEqual(emptyBook());
  expect(() => bookFromJson(before)).toThrow("webhooks is missing");
});

test("a book with a member that is missing or of another kind is not taken for one", () => {
  const whole = bookToJson(emptyBook()) as Record<string, object>;

  expect(() => bookFromJson({ ...whole, money: undefined })).toThrow("money is missing");
  expect(() => bookFromJson({ ...whole, money: { accounts: {} } })).toThrow("accounts is not a list");
  expect(() => bookFromJson({ ...whole, identity: { ...whole["identity"], hasOwner: "yes" } })).toThrow("boolean");
});

test("the first items of many sources are found without opening the others", async () => {
  const opened: number[] = [];
  const sources = Array.from({ length: 100 }, (_, source) => ({
    newest: source * 10 + 9,
    async *open() {
      opened.push(source);
      yield Array.from({ length: 10 }, (_unused, item) => ({ seq: source * 10 + 9 - item }));
    },
  }));

  const found: number[] = [];
  for await (const block of mergeNewestFirst(sources)) {
    found.push(...block.map(({ seq }) => seq));
    if (found.length >= 15) break;
  }

  expect(found.slice(0, 15)).toEqual(Array.from({ length: 15 }, (_, place) => 999 - place));
  expect(opened.length).toBeLessThan(5);
});

test("a cache keeps what was used last, up to its weight", () => {
  const cache = new BoundedCache<string>(10);
  cache.set("a", "A", 4);
  cache.set("b", "B", 4);
  cache.get("a");

  cache.set("c", "C", 4);
  cache.set("heavy", "H", 11);
  cache.set("d", "D", 1);

  expect(["a", "b", "c", "heavy", "d"].map((key) => cache.get(key))).toEqual(["A", undefined, "C", undefined, "D"]);
});

test("a filter never denies what is in it, and seldom allows what is not", () => {
  const keys = Array.from({ length: 2_000 }, (_, key) => `key ${key}`);
  const filter = makeBloomFilter(keys);

  expect(keys.every((key) => mayContain(filter, key))).toBe(true);
  expect(keys.filter((key) => mayContain(filter, `not ${key}`)).length).toBeLessThan(40);
  expect(mayContain(makeBloomFilter([]), "key 1")).toBe(false);
});

test("however many files are read, a fixed number stays open", async () => {
  const disk = new SimulatedDisk();
  let open = 0;
  const files: Files = {
    ...nodeFiles(),
    async openForReading(path) {
      const file = await disk.files.openForReading(path);
      open += 1;
      const close = async () => void (open -= 1);
      return { ...file, close };
    },
  };
  const names = Array.from({ length: 600 }, (_, name) => `f${name}`);
  for (const name of names) await disk.files.create(`/${name}`);
  const pool = new FilePool(files, "/");

  await Promise.all(names.map((name) => pool.read(name, 0, 1)));
  for (const name of names) await pool.read(name, 0, 1);
  const atRest = open;
  await pool.close();

  expect(atRest).toBeLessThanOrEqual(512);
  expect(open).toBe(0);
});
