import type { FaultyFiles } from "./faulty-files.ts";

/** The calls through the door to the disk that the journal makes; `close` loses nothing. */
export const JOURNAL_CALLS = [
  "create",
  "openForChange",
  "openForReading",
  "read",
  "readFile",
  "write",
  "datasync",
  "sync",
  "truncate",
  "list",
  "stat",
  "makeDirectory",
  "link",
  "rename",
  "unlink",
  "syncDirectory",
] as const;

/** Counts the calls that were made to go wrong, by name. */
export class FaultTally {
  readonly #counts = new Map<string, number>();

  add({ hits }: Pick<FaultyFiles, "hits">): void {
    for (const name of hits) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Listed names that never went wrong: what the trial does not show. */
  neverHit(listed: readonly string[]): string[] {
    return listed.filter((name) => !this.#counts.has(name));
  }

  describe(): string {
    return [...this.#counts]
      .sort(([, one], [, other]) => other - one)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ");
  }
}
