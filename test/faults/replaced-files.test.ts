import { expect, test } from "vitest";
import {
  makePrivateFolder,
  replacePrivateFile,
  type ReplacingDisk,
  sweepLeftovers,
} from "../../shared/replace-file.ts";
import { temporaryName } from "../../shared/temporary-file.ts";
import { faultyFiles, type Fault } from "./faulty-files.ts";
import { seededRandom, SimulatedDisk } from "./simulated-disk.ts";

/* Secrets, the owner's key and prices are files that are replaced: here by the real function, on a disk that loses power. */

const FOLDER = "/home/config/local";
const PATH = `${FOLDER}/secrets.json`;

/** Four secrets in a folder that is new, each acknowledged before the next; what is there after the fault and a power loss. */
async function playWithFault(at: number, fault: Fault, powerSeed: number, disk = new SimulatedDisk()) {
  const faulty = faultyFiles(disk.files, at, fault);
  const door: ReplacingDisk = { ...faulty.files, setMode: async () => {} };
  let acknowledged = 0;
  let asked = 0;
  try {
    for (const secret of [1, 2, 3, 4]) {
      asked = secret;
      await makePrivateFolder(FOLDER, door);
      await replacePrivateFile(PATH, `${secret}`.repeat(1_000), door);
      acknowledged = secret;
    }
  } catch {
    // Not acknowledged: old or new, as the disk will have it.
  }
  disk.losePower(seededRandom(powerSeed));
  const text = await disk.files.readFile(PATH).then(String, () => "");
  return { acknowledged, asked, found: Number(text[0] ?? 0), isWhole: [0, 1_000].includes(text.length), ...faulty };
}

test("wherever the power goes, the last acknowledged secret or the one after it is there, whole", async () => {
  const { calls } = await playWithFault(0, "die", 1);

  for (let at = 0; at <= calls.length; at += 1) {
    for (const fault of ["die", "dieAfter", "fail", "full"] as const) {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const { acknowledged, asked, found, isWhole } = await playWithFault(at, fault, at * 7 + seed);

        expect([acknowledged, asked], `call ${at}, ${fault}, seed ${seed}`).toContain(found);
        expect(isWhole).toBe(true);
      }
    }
  }
});

test("the trial can fail: on a disk that does not flush, a power loss takes acknowledged secrets", async () => {
  const played = await Promise.all(
    Array.from({ length: 10 }, (_, seed) => playWithFault(0, "die", seed, new SimulatedDisk({ flushes: false }))),
  );

  expect(played.some(({ acknowledged, found }) => found < acknowledged)).toBe(true);
});

test("what a writer that died left is swept, for good, and what a living one is about to rename stays", async () => {
  const disk = new SimulatedDisk();
  const door: ReplacingDisk = { ...disk.files, setMode: async () => {} };
  await makePrivateFolder(FOLDER, door);
  const [, place = ""] = /-([0-9a-f]{8})-/.exec(temporaryName("x", "0".repeat(12))) ?? [];
  const dead = temporaryName("secrets.json", "1".repeat(12), { pid: process.pid, place, process: "deadbeef" });
  const living = temporaryName("secrets.json", "2".repeat(12));
  for (const name of [dead, living, "secrets.json"]) await disk.files.create(`${FOLDER}/${name}`);
  await disk.files.syncDirectory(FOLDER);

  await sweepLeftovers(FOLDER, door);
  disk.losePower(seededRandom(3));

  expect(await disk.files.list(FOLDER)).toEqual([living, "secrets.json"].sort());
});
