import { setTimeout as pause } from "node:timers/promises";

type Query = (text: string) => Promise<Record<string, unknown>[]>;

const LATEST = `
select coalesce(max(extract(epoch from clock_timestamp() - lease_until)), 0)::float8 as late
from run_owners join daemons on daemons.id = run_owners.owner
where lease_until < clock_timestamp()`;

/** Looks at the tables again and again for how long runs stay with a daemon whose lease is over. */
export class TakeoverWatch {
  readonly #query: Query;
  readonly #looking: Promise<void>;
  #isOver = false;
  #longestSeconds = 0;

  constructor(query: Query) {
    this.#query = query;
    this.#looking = this.#look();
  }

  /** From the end of a lease to the takeover of the last run, in seconds: the longest time. */
  async end(): Promise<number> {
    this.#isOver = true;
    await this.#looking;
    return this.#longestSeconds;
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      // While the database restarts there is no answer.
      const [row] = await this.#query(LATEST).catch(() => []);
      this.#longestSeconds = Math.max(this.#longestSeconds, Number(row?.["late"] ?? 0));
      await pause(200);
    }
  }
}
