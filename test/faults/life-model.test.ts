import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { effort } from "../support/effort.ts";
import { type FaultyFiles, faultyFiles } from "./faulty-files.ts";
import { type LifeHost, lifeSuite } from "./life-suite.ts";
import { seededRandom, SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedProcesses } from "./simulated-processes.ts";

const SEQUENCES = effort(60, 10_000);

/** A journal on a disk that can lose its power. */
function onDisk(): LifeHost {
  const disk = new SimulatedDisk();
  const simulated = new SimulatedProcesses();
  let endProcess = () => {};
  let files: FaultyFiles | undefined;
  let store: Store | undefined;
  let lostPower: number | undefined;
  return {
    async open() {
      const processes = simulated.begin();
      endProcess = processes.end;
      files = faultyFiles(disk.files, 0, "die");
      store = await openJournalStore({
        dataDir: "/data",
        files: files.files,
        processes,
        segmentBytes: 8_000,
        onFatal: () => {},
      });
      return { store };
    },
    async close() {
      await store?.close();
      endProcess();
    },
    async kill(powerSeed) {
      files?.die();
      endProcess();
      lostPower = powerSeed;
    },
    async afterKill() {
      await store?.close().catch(() => {});
      if (lostPower !== undefined) disk.losePower(seededRandom(lostPower));
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    end: async () => {},
  };
}

lifeSuite({ where: "in a journal", sequences: SEQUENCES, host: onDisk, hangMs: 120_000 + SEQUENCES * 500 });
