import type { Files, OpenFile } from "../../daemon/storage/files.ts";

/** Calls that need a descriptor for as long as they last, or for longer. */
export const OPENING_CALLS = [
  "create",
  "openForChange",
  "openForReading",
  "readFile",
  "list",
  "syncDirectory",
] as const;

/**
 * What happens at the chosen call: `fail` it alone answers EIO, `later` it alone answers EMFILE, `full` it alone answers ENOSPC after half of a write,
 * `die` it and all later ones never happen, a write half; `dieAfter` it happens, and no later one.
 */
export type Fault = "fail" | "later" | "full" | "die" | "dieAfter";

export interface FaultyFiles {
  readonly files: Files;
  /** Names of the calls so far, in their order. */
  readonly calls: readonly string[];
  /** Names of the calls that went wrong. */
  readonly hits: readonly string[];
  /** Lets the next call of this name go wrong too. */
  hitNext(name: string): void;
  /** From now on the calls of these names answer EMFILE; with none, no more. */
  runOutFor(names: readonly string[]): void;
  /** No call happens from now on. */
  die(): void;
}

/** Lets the `at`-th call (from 1) to the disk go wrong; none, when `at` is 0. */
export function faultyFiles(inner: Files, at: number, fault: Fault): FaultyFiles {
  const calls: string[] = [];
  const hits: string[] = [];
  let isDead = false;
  let nextName: string | undefined;
  let shortFor: readonly string[] = [];

  async function call<Result>(
    name: string,
    act: () => Promise<Result>,
    half?: () => Promise<unknown>,
  ): Promise<Result> {
    if (isDead) throw new Error("the process is dead");
    calls.push(name);
    if (shortFor.includes(name)) throw outOfDescriptors(name);
    if (calls.length !== at && name !== nextName) return act();
    nextName = undefined;
    hits.push(name);
    switch (fault) {
      case "fail":
        throw Object.assign(new Error(`EIO: ${name}`), { code: "EIO" });
      case "later":
        throw outOfDescriptors(name);
      case "full":
        await half?.();
        throw Object.assign(new Error(`ENOSPC: ${name}`), { code: "ENOSPC" });
      case "die":
        isDead = true;
        await half?.();
        throw new Error("the process died");
      case "dieAfter":
        isDead = true;
        await act();
        throw new Error("the process died");
    }
  }

  const wrapFile = (file: OpenFile): OpenFile => ({
    write: (bytes, position) =>
      call(
        "write",
        () => file.write(bytes, position),
        () => file.write(bytes.subarray(0, bytes.length / 2), position),
      ),
    read: (into, position) => call("read", () => file.read(into, position)),
    datasync: () => call("datasync", () => file.datasync()),
    sync: () => call("sync", () => file.sync()),
    truncate: (length) => call("truncate", () => file.truncate(length)),
    close: () => file.close(),
  });
  const files: Files = {
    create: (path) => call("create", async () => wrapFile(await inner.create(path))),
    openForChange: (path) => call("openForChange", async () => wrapFile(await inner.openForChange(path))),
    openForReading: (path) => call("openForReading", async () => wrapFile(await inner.openForReading(path))),
    readFile: (path) => call("readFile", () => inner.readFile(path)),
    list: (path) => call("list", () => inner.list(path)),
    stat: (path) => call("stat", () => inner.stat(path)),
    hasEntry: (path) => call("stat", () => inner.hasEntry(path)),
    lookAt: (path) => call("lookAt", () => inner.lookAt(path)),
    realPath: (path) => call("realPath", () => inner.realPath(path)),
    makeDirectory: (path) => call("makeDirectory", () => inner.makeDirectory(path)),
    link: (existing, name) => call("link", () => inner.link(existing, name)),
    rename: (from, to) => call("rename", () => inner.rename(from, to)),
    unlink: (path) => call("unlink", () => inner.unlink(path)),
    syncDirectory: (path) => call("syncDirectory", () => inner.syncDirectory(path)),
    freeBytes: (path) => call("freeBytes", () => inner.freeBytes(path)),
  };
  return {
    files,
    calls,
    hits,
    hitNext(name) {
      nextName = name;
    },
    runOutFor(names) {
      shortFor = names;
    },
    die() {
      isDead = true;
    },
  };
}

function outOfDescriptors(name: string): Error {
  return Object.assign(new Error(`EMFILE: too many open files, ${name}`), { code: "EMFILE" });
}
