import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { systemProcesses, type ProcessTable } from "../../daemon/storage/journal/folder/process-table.ts";
import { DataFolderInUse, LockLost } from "../../daemon/storage/storage-errors.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import { SimulatedDisk } from "../faults/simulated-disk.ts";
import { SimulatedProcesses } from "../faults/simulated-processes.ts";
import { keyCreated, ownerCreated } from "./lines.ts";

function open(
  disk: SimulatedDisk,
  processes: ProcessTable,
  { forceUnlock = false, onFatal = (_error: Error) => undefined as void } = {},
): Promise<Store> {
  return openJournalStore({ dataDir: "/data", files: disk.files, processes, forceUnlock, onFatal });
}

test("while the holder lives, another start is refused and names its pid", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  const holder = host.begin();
  await open(disk, holder);

  const opening = open(disk, host.begin());

  await expect(opening).rejects.toMatchObject({
    name: "DataFolderInUse",
    pid: holder.pid,
    message: expect.stringContaining(`process ${holder.pid}`),
  });
});

test("one process cannot open it twice either", async () => {
  const disk = new SimulatedDisk();
  const process = new SimulatedProcesses().begin();
  await open(disk, process);

  await expect(open(disk, process)).rejects.toBeInstanceOf(DataFolderInUse);
});

test("after close the same process may open it again", async () => {
  const disk = new SimulatedDisk();
  const process = new SimulatedProcesses().begin();
  await (await open(disk, process)).close();

  const again = await open(disk, process);

  expect(await again.listWorkspaces()).toEqual([]);
});

test("a holder that ended without a word does not block", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  const holder = host.begin();
  await open(disk, holder);
  holder.end();

  await expect(open(disk, host.begin())).resolves.toBeDefined();
});

test("a process that got the holder's pid later is not the holder", async () => {
  const disk = new SimulatedDisk();
  const holder = new SimulatedProcesses().begin();
  await open(disk, holder);
  const host = new SimulatedProcesses();
  const other = host.begin();

  const opening = open(disk, { ...other, findStart: async () => "a later start" });

  await expect(opening).resolves.toBeDefined();
});

test("after a boot no holder is left", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  await open(disk, host.begin({ boot: "b0" }));

  await expect(open(disk, host.begin())).resolves.toBeDefined();
});

test.each([
  ["host", { host: "h2" }],
  ["container", { pidNamespace: "n2" }],
])("a holder on another %s cannot be judged: refused, with the way around it", async (_what, elsewhere) => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  const holder = host.begin(elsewhere);
  await open(disk, holder);
  holder.end();

  const opening = open(disk, host.begin());

  await expect(opening).rejects.toMatchObject({ pid: holder.pid, message: expect.stringContaining("--force-unlock") });
  await expect(open(disk, host.begin(), { forceUnlock: true })).resolves.toBeDefined();
});

test("a lock that cannot be read is not passed over", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  const holder = host.begin();
  await open(disk, holder);
  holder.end();
  disk.replace("/data/lock.00000001", Buffer.from("{"));

  await expect(open(disk, host.begin())).rejects.toMatchObject({
    message: expect.stringContaining("lock.00000001 cannot be read"),
  });
});

test("a writer that was forced out writes nothing and acknowledges nothing more", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  const fatal: Error[] = [];
  const old = await open(disk, host.begin(), { onFatal: (error) => fatal.push(error) });
  await old.commit({ line: ownerCreated() });
  const segment = "/data/log/00000001-g00000001.ndjson";

  const taker = await open(disk, host.begin(), { forceUnlock: true });
  const before = await disk.files.readFile(segment);
  const committing = old.commit({ line: keyCreated("old") });

  await expect(committing).rejects.toBeInstanceOf(LockLost);
  await expect(committing).rejects.toBeInstanceOf(StorageFailed);
  expect(fatal).toHaveLength(1);
  expect(await disk.files.readFile(segment)).toEqual(before);
  await taker.commit({ line: keyCreated("new") });
  expect((await taker.listKeys("w1")).map((key) => key.keyId)).toEqual(["k1", "new"]);
});

test("a batch that was on its way when the writer was forced out is not acknowledged, and the next start copes", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  const opened: Store[] = [];
  const files = {
    ...disk.files,
    async create(path: string) {
      const file = await disk.files.create(path);
      const flush = async () => {
        // The other one takes over between our write and the end of our flush.
        if (opened.length === 1) opened.push(await open(disk, host.begin(), { forceUnlock: true }));
        await file.datasync();
      };
      return { ...file, datasync: flush };
    },
  };
  const old = await openJournalStore({ dataDir: "/data", files, processes: host.begin(), onFatal: () => undefined });
  opened.push(old);

  const committing = old.commit({ line: ownerCreated() });

  await expect(committing).rejects.toBeInstanceOf(LockLost);
  await opened[1]?.close();
  await expect(open(disk, host.begin())).resolves.toBeDefined();
});

test("locks of holders that are gone are cleared away, except where one may still look for them", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  for (let start = 0; start < 5; start += 1) await (await open(disk, host.begin())).close();
  const far = await open(disk, host.begin({ host: "h2" }));

  await (await open(disk, host.begin(), { forceUnlock: true })).close();
  await (await open(disk, host.begin())).close();
  const locks = (await disk.files.list("/data")).filter((name) => name.startsWith("lock"));

  expect(locks).toEqual(["lock.00000006", "lock.00000007", "lock.00000008"]);
  await expect(far.commit({ line: ownerCreated() })).rejects.toBeInstanceOf(LockLost);
});

test("a start that was overtaken twice, and finds its number free again, notices it", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();
  const holder = host.begin();
  let isOvertaken = false;
  const files = {
    ...disk.files,
    async link(existing: string, name: string) {
      if (!isOvertaken) {
        isOvertaken = true;
        await (await open(disk, host.begin())).close();
        await open(disk, holder);
      }
      // The temporary file was swept; a slower sweep would have left it.
      await disk.files.create(existing).catch(() => undefined);
      await disk.files.link(existing, name);
    },
  };

  const opening = openJournalStore({ dataDir: "/data", files, processes: host.begin(), onFatal: () => undefined });

  await expect(opening).rejects.toMatchObject({ name: "DataFolderInUse", pid: holder.pid });
});

test("of 20 starts at once on one disk, one wins", async () => {
  const disk = new SimulatedDisk();
  const host = new SimulatedProcesses();

  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => open(disk, host.begin())));

  const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refusals).toHaveLength(19);
  expect(refusals.every((reason) => reason instanceof DataFolderInUse)).toBe(true);
});

test("the system tells processes apart: alive, ended, and dead but not yet asked for by the parent", async () => {
  const processes = systemProcesses();
  // `exec` leaves a parent that never asks for its child.
  const parent = spawn("sh", ["-c", "sh -c 'exit 0' & echo $!; exec sleep 30"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(parent.stdout, "data")) as [Buffer];
  const zombie = Number(output.toString().trim());

  await expect.poll(() => processes.findStart(zombie), { timeout: 10_000 }).toBeUndefined();
  const self = await processes.self();
  const before = await processes.findStart(parent.pid ?? 0);
  const own = await processes.findStart(process.pid);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  const after = await processes.findStart(parent.pid ?? 0);

  expect(before).toBeDefined();
  expect(after).toBeUndefined();
  expect(own).toBe(self.start);
  expect(self.pid).toBe(process.pid);
});
