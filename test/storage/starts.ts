import type { Files } from "../../daemon/storage/files.ts";
import {
  type JournalStore,
  type JournalStoreOptions,
  openJournalStore,
} from "../../daemon/storage/journal/journal-store.ts";
import { SimulatedDisk } from "../faults/simulated-disk.ts";
import { SimulatedProcesses } from "../faults/simulated-processes.ts";

/** So small that a run has a segment of its own. */
const SEGMENT_BYTES = 2_000;

/** Starts on one disk, one after the other, each ended by `close` of its store or by `crash`. */
export class Starts {
  readonly disk: SimulatedDisk;
  readonly #host = new SimulatedProcesses();
  #end: () => void = () => undefined;

  constructor(disk = new SimulatedDisk()) {
    this.disk = disk;
  }

  open(files: Files = this.disk.files, options: Partial<JournalStoreOptions> = {}): Promise<JournalStore> {
    const process = this.#host.begin();
    this.#end = process.end;
    return openJournalStore({
      dataDir: "/data",
      files,
      processes: process,
      segmentBytes: SEGMENT_BYTES,
      onFatal: () => undefined,
      ...options,
    });
  }

  /** The process is gone without a word. */
  crash(): void {
    this.#end();
  }

  /** Names in a folder of the data folder. */
  names(folder: string): Promise<string[]> {
    return this.disk.files.list(`/data/${folder}`);
  }

  /** Paths of all files with outputs. */
  async outputFiles(): Promise<string[]> {
    const prefixes = await this.names("blobs");
    const names = prefixes.map(async (prefix) =>
      (await this.names(`blobs/${prefix}`)).map((name) => `/data/blobs/${prefix}/${name}`),
    );
    return (await Promise.all(names)).flat();
  }
}
