import { expect, test } from "vitest";
import { keepUses, type KeptUses } from "../../daemon/discovery/use/keep-uses.ts";
import { openUseFile } from "../../daemon/storage/documents/use-file.ts";
import type { Files } from "../../daemon/storage/files.ts";
import { faultyFiles, type Fault } from "./faulty-files.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const NOW = Date.UTC(2026, 10, 22);
const reader = { workspaceId: "w1", actor: "k1" };
const view = { size: 100, documentsWith: () => 1 };

async function open(files: Files, { hasRoom = true, warnings = [] as string[] } = {}): Promise<KeptUses> {
  const logger = { warn: (_: unknown, text: string) => void warnings.push(text) };
  const clock = { now: () => NOW };
  return await keepUses({
    isOn: true,
    file: openUseFile("/data", files),
    store: { hasRoom: () => hasRoom },
    clock,
    logger,
  });
}

/** Asks, and runs the endpoint that was answered. */
function use({ learning }: KeptUses, stem: string): void {
  const createdAt = new Date(NOW).toISOString();
  learning?.note(reader, [stem], [{ provider: { provider: "weather" }, path: "/rain" } as never]);
  learning?.observe({
    workspaceId: "w1",
    caller: "k1",
    provider: "weather",
    endpoint: "/rain",
    status: "COMPLETED",
    createdAt,
  } as never);
}

const knows = ({ learning }: KeptUses, stem: string) => learning?.likeUses(reader, [stem], view as never).size === 1;

/** One use on the disk, and a second that is written while a call goes wrong. */
async function playWithFault(at: number, fault: Fault) {
  const disk = new SimulatedDisk();
  await disk.files.makeDirectory("/data");
  await disk.files.syncDirectory("/");
  const first = await open(disk.files);
  use(first, "rain");
  await first[Symbol.asyncDispose]();
  const faulty = faultyFiles(disk.files, at, fault);
  const second = await open(faulty.files);
  use(second, "snow");
  await second[Symbol.asyncDispose]();

  const warnings: string[] = [];
  const third = await open(disk.files, { warnings });
  const known = [knows(third, "rain"), knows(third, "snow")];
  await third[Symbol.asyncDispose]();
  return { known, warnings, calls: faulty.calls };
}

test.each(["full", "die", "dieAfter"] as const)(
  "whichever call of a write goes wrong (%s), what was learned before is there, whole, and no start fails",
  async (fault) => {
    const { calls, known: withoutFault } = await playWithFault(0, fault);
    expect(withoutFault).toEqual([true, true]);
    const firstOfWrite = calls.lastIndexOf("create") + 1;
    expect(firstOfWrite).toBeGreaterThan(0);

    for (let at = firstOfWrite; at <= calls.length; at += 1) {
      const { known, warnings } = await playWithFault(at, fault);

      expect(known[0]).toBe(true);
      expect(warnings).toEqual([]);
    }
  },
);

test("on a disk without room nothing is written, and what is known stays in use until the end", async () => {
  const disk = new SimulatedDisk();
  await disk.files.makeDirectory("/data");
  const faulty = faultyFiles(disk.files, 0, "full");
  const kept = await open(faulty.files, { hasRoom: false });

  use(kept, "rain");
  const isKnown = knows(kept, "rain");
  await kept[Symbol.asyncDispose]();

  expect(isKnown).toBe(true);
  expect(faulty.calls).not.toContain("create");
});

test("what was erased while the disk was full is not said to be erased", async () => {
  const disk = new SimulatedDisk();
  await disk.files.makeDirectory("/data");
  const first = await open(disk.files);
  use(first, "rain");
  await first[Symbol.asyncDispose]();
  const faulty = faultyFiles(disk.files, 0, "full");
  const second = await open(faulty.files);
  faulty.hitNext("create");

  await expect(second.forget(reader)).rejects.toThrow("ENOSPC");
  await expect(second.forget(reader)).resolves.toBe(0);
  await second[Symbol.asyncDispose]();

  expect(knows(await open(disk.files), "rain")).toBe(false);
});
