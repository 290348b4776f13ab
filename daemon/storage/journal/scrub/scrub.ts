import { isAbsolute, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorText } from "../../../../shared/error-text.ts";
import { type Clock, isoNow } from "../../../base/clock.ts";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { isOutOfDescriptors, type Files } from "../../files.ts";
import type { JournalCorrupt } from "../../storage-errors.ts";
import type { IndexHeader } from "../indexes/index-file.ts";
import type { JournalHistory } from "../history/journal-history.ts";
import { Pace, pacedFiles } from "./paced-files.ts";
import { type Damage, scrubSegment } from "./scrub-segment.ts";
import type { ScrubDocument, ScrubFile } from "./scrub-document.ts";
import { parseSegmentName } from "../segments/segment.ts";

/*
 * Disks lose bytes that nobody reads. The scrub reads every sealed segment, its index and its outputs once in some
 * days, slowly, one after the other, and remembers its progress over restarts. It reports damage and never repairs it,
 * except for an index, which is rebuilt. After a start, damaged segments are checked first: they may have been restored
 * from a backup.
 */

const DAY_MS = 86_400_000;
/** Between the ends of two rounds. A disk keeps a copy for long, but the backups that are kept are often of a month. */
const ROUND_MS = 7 * DAY_MS;
const LOOK_EVERY_MS = 3_600_000;
/**
 * The progress is saved at most this often, to avoid a flush for each small segment; a crash repeats this much work.
 */
const KEEP_EVERY_MS = 10_000;
/** A segment that retention rewrites while it is read is checked again. */
const MAX_TRIES = 3;
/** Until a segment is looked at again for which there was no descriptor. */
const DESCRIPTORS_MS = 10_000;
/** Further damage is only logged, to keep the document small. */
const MAX_KEPT = 1_000;

export interface ScrubParts {
  readonly document: ScrubFile;
  /** Above 0. */
  readonly bytesPerSecond: number;
  readonly clock: Clock;
  /** Called once for each place in the life of a process. */
  readonly onDamage: (damage: Damage) => void;
  readonly onMended: (damage: Damage) => void;
  /** Called when another error prevents the check, which is tried again. */
  readonly onProblem: (error: unknown) => void;
  /** Between two looks whether a round is due; only tests choose another. */
  readonly lookEveryMs?: number;
}

/** A scrub that runs in the background. */
export interface Scrubbing {
  /** The damage that is known now. */
  damage(): readonly Damage[];
  close(): Promise<void>;
}

export class Scrub implements Scrubbing {
  readonly #parts: ScrubParts;
  readonly #history: JournalHistory;
  readonly #dataDir: string;
  readonly #files: Files;
  readonly #stopping = new AbortController();
  readonly #told = new Set<string>();
  /** The segment that is next; on the disk now and then. */
  #next: number;
  #keptAtMs = performance.now();
  #running: Promise<void> = Promise.resolve();

  constructor(
    parts: ScrubParts,
    { files, dataDir, history }: { files: Files; dataDir: string; history: JournalHistory },
  ) {
    this.#parts = parts;
    this.#history = history;
    this.#dataDir = dataDir;
    this.#next = parts.document.data.next;
    this.#files = pacedFiles(files, new Pace(parts.bytesPerSecond, this.#stopping.signal));
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) this.#parts.onProblem(error);
    });
  }

  damage(): readonly Damage[] {
    return this.#parts.document.data.damage;
  }

  /** A reader met it. */
  note(error: JournalCorrupt): void {
    const path = relative(this.#dataDir, error.file);
    if (isAbsolute(path) || path.startsWith("..")) return;
    const damage = { file: path, offset: error.offset, why: error.why };
    if (!this.#tell(damage)) return;
    const segment = parseSegmentName(path.replace(/^log\//, ""))?.number ?? 0;
    void this.#keep((data) => {
      if (data.damage.some(({ file }) => file === path) || data.damage.length >= MAX_KEPT) return;
      data.damage.push({ segment, ...damage, foundAt: isoNow(this.#parts.clock) });
    });
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (this.#next !== this.#parts.document.data.next) await this.#keepNext();
  }

  async #run(): Promise<void> {
    const { document, lookEveryMs = LOOK_EVERY_MS } = this.#parts;
    const again = new Set(document.data.damage.map(({ segment }) => segment));
    // What no segment says any more was found by a reader of a file; its segment's look finds it if it is still so.
    await this.#keep((data) => {
      data.damage = data.damage.filter(({ segment }) => segment > 0);
    });
    for (const number of [...again].sort((one, other) => one - other)) await this.#lookAtSegment(number);
    for (;;) {
      if (this.#isDue()) await this.#round();
      await delay(lookEveryMs, undefined, { signal: this.#stopping.signal, ref: false });
    }
  }

  #isDue(): boolean {
    const { document, clock } = this.#parts;
    const { endedAt } = document.data;
    if (this.#next > 1 || endedAt === undefined) return true;
    const sinceMs = clock.now() - Date.parse(endedAt);
    return sinceMs >= ROUND_MS || sinceMs < 0;
  }

  async #round(): Promise<void> {
    for (;;) {
      const sealed = this.#sealed();
      // What has nothing yet was not looked at: it is when it has.
      if (sealed.length === 0) return;
      const number = sealed.find((one) => one >= this.#next);
      if (number === undefined) break;
      await this.#lookAtSegment(number);
      this.#next = number + 1;
      if (performance.now() - this.#keptAtMs > KEEP_EVERY_MS) await this.#keepNext();
    }
    this.#next = 1;
    await this.#keep((data) => {
      data.next = 1;
      data.endedAt = isoNow(this.#parts.clock);
    });
  }

  async #keepNext(): Promise<void> {
    this.#keptAtMs = performance.now();
    await this.#keep((data) => {
      data.next = this.#next;
    });
  }

  #sealed(): number[] {
    return this.#history
      .sealedHeaders()
      .map(numberOf)
      .sort((one, other) => one - other);
  }

  async #lookAtSegment(number: number): Promise<void> {
    const found = await this.#findDamage(number);
    for (const damage of found) this.#tell(damage);
    const before = this.#parts.document.data.damage.filter(({ segment }) => segment === number);
    if (before.length === 0 && found.length === 0) return;
    const foundAt = isoNow(this.#parts.clock);
    await this.#keep((data) => {
      const others = data.damage.filter(({ segment }) => segment !== number);
      const kept = found.slice(0, Math.max(0, MAX_KEPT - others.length));
      data.damage = [
        ...others,
        ...kept.map((damage) => ({
          segment: number,
          ...damage,
          foundAt: before.find(({ file }) => file === damage.file)?.foundAt ?? foundAt,
        })),
      ];
    });
  }

  /** Nothing of a segment that is not sealed, or is gone. */
  async #findDamage(number: number): Promise<readonly Damage[]> {
    for (let tries = 1; ; tries += 1) {
      const header = this.#history.sealedHeaders().find((one) => numberOf(one) === number);
      if (header === undefined) return [];
      try {
        const { damage, badIndex } = await scrubSegment(this.#files, this.#dataDir, header);
        if (!this.#isCurrent(header))
          throw Object.assign(new Error("it was rewritten in the meantime"), { code: "ENOENT" });
        return badIndex === undefined ? damage : [...damage, ...(await this.#mendIndex(header, badIndex, damage))];
      } catch (error) {
        this.#stopping.signal.throwIfAborted();
        if (systemErrorCode(error) === "ENOENT" && this.#isCurrent(header)) {
          return [{ file: `log/${header.file}`, why: "the file is missing" }];
        }
        if (tries < MAX_TRIES && systemErrorCode(error) === "ENOENT") continue;
        if (isOutOfDescriptors(error)) {
          // That says nothing about the segment.
          await delay(this.#parts.lookEveryMs ?? DESCRIPTORS_MS, undefined, {
            signal: this.#stopping.signal,
            ref: false,
          });
          continue;
        }
        // The disk refuses to read it: as good as damaged, and what else is there is looked at.
        return [{ file: `log/${header.file}`, why: errorText(error) }];
      }
    }
  }

  async #mendIndex(header: IndexHeader, badIndex: Damage, damage: readonly Damage[]): Promise<readonly Damage[]> {
    if (damage.some(({ file }) => file === `log/${header.file}`)) return [badIndex];
    await this.#history.renewIndex(header.file);
    this.#parts.onMended(badIndex);
    return [];
  }

  #isCurrent(header: IndexHeader): boolean {
    return this.#history.sealedHeaders().includes(header);
  }

  /** True when it is new to this process. */
  #tell(damage: Damage): boolean {
    const key = `${damage.file} ${damage.offset ?? ""}`;
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    this.#parts.onDamage(damage);
    return true;
  }

  /** A disk that takes nothing costs a repeated look after the next start. */
  async #keep(change: (data: ScrubDocument) => void): Promise<void> {
    await this.#parts.document.update(change).catch((error: unknown) => this.#parts.onProblem(error));
  }
}

function numberOf({ file }: IndexHeader): number {
  return parseSegmentName(file)?.number ?? 0;
}
