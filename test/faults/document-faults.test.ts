import { expect, test } from "vitest";
import { z } from "zod";
import { openDocument } from "../../daemon/storage/documents/documents.ts";
import { faultyFiles, type Fault } from "./faulty-files.ts";
import { seededRandom, SimulatedDisk } from "./simulated-disk.ts";

const Counter = z.object({ count: z.number(), padding: z.string() });
const DEFAULTS = { count: 0, padding: "" };
const PATH = "/docs/counter.json";

/** Four updates into the fault, perhaps a power loss, and a look at what is there. */
async function playWithFault(at: number, fault: Fault, powerSeed?: number, disk = new SimulatedDisk()) {
  await disk.files.makeDirectory("/docs");
  await disk.files.syncDirectory("/");
  const faulty = faultyFiles(disk.files, at, fault);
  let acknowledged = 0;
  let asked = 0;
  try {
    const document = await openDocument(PATH, Counter, DEFAULTS, { files: faulty.files });
    for (const count of [1, 2, 3, 4]) {
      asked = count;
      await document.update((draft) => Object.assign(draft, { count, padding: `${count}`.repeat(1_000) }));
      acknowledged = count;
    }
  } catch {
    // Not acknowledged: old or new, as the disk will have it.
  }
  if (powerSeed !== undefined) disk.losePower(seededRandom(powerSeed));

  const warnings: string[] = [];
  const found = await openDocument(PATH, Counter, DEFAULTS, {
    files: disk.files,
    onWarning: (text) => warnings.push(text),
  });
  await found.update(() => undefined);
  return { acknowledged, asked, found: found.data.count, warnings, calls: faulty.calls };
}

test.each(["fail", "full", "die", "dieAfter"] as const)(
  "whichever call goes wrong (%s), the old or the new document is there, whole",
  async (fault) => {
    const { calls } = await playWithFault(0, fault);

    for (let at = 1; at <= calls.length; at += 1) {
      const { acknowledged, asked, found, warnings } = await playWithFault(at, fault);

      expect([acknowledged, asked]).toContain(found);
      expect(warnings).toEqual([]);
    }
  },
);

test("wherever the power goes, the last acknowledged document or the one after it is there, whole", async () => {
  const { calls } = await playWithFault(0, "die");

  for (let at = 1; at <= calls.length; at += 1) {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { acknowledged, asked, found, warnings } = await playWithFault(at, "die", at * 5 + seed);

      expect([acknowledged, asked]).toContain(found);
      expect(warnings).toEqual([]);
    }
  }
});

test("the trial can fail: on a disk that does not flush, a power loss takes acknowledged updates", async () => {
  const played = Array.from({ length: 10 }, (_, seed) =>
    playWithFault(0, "die", seed, new SimulatedDisk({ flushes: false })),
  );

  const outcomes = await Promise.allSettled(played);

  expect(
    outcomes.some((outcome) => outcome.status === "rejected" || outcome.value.found < outcome.value.acknowledged),
  ).toBe(true);
});
