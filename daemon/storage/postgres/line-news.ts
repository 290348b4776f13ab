import { createHash } from "node:crypto";
import type { Queries } from "./connection.ts";
import type { Database } from "./database.ts";
import type { Replica } from "./replica.ts";

/** The channel of earlier versions, which every market in the database tells on. It is heard while daemons are replaced. */
export const EARLIER_CHANNEL = "mkt_lines";
const SCHEMA = "select relnamespace::regnamespace::text as schema from pg_class where oid = 'lines'::regclass";
/** All daemons together tell of new lines about so often; what comes in between is told with the next. */
const BETWEEN_TOLD_MS = 50;
/** What others tell within so many milliseconds is looked for together, */
const GATHER_MS = 10;
/** and, where this daemon reads on and on for its own work, no sooner than so many after it read last. */
const BETWEEN_LOOKS_MS = 50;
/** What could not be told is told again so much later. */
const AGAIN_MS = 1_000;

export const TELL = "select pg_notify($1, $2)";

/**
 * Told with the number of the newest line, when lines were written. All schemas of a database share its channels, and the numbers
 * of another market mean nothing here: so each has its own.
 */
export async function linesChannel(queries: Queries): Promise<string> {
  const [found] = await queries.query<{ schema: string }>(SCHEMA);
  const hash = createHash("sha256").update(found?.schema ?? "");
  return `${EARLIER_CHANNEL}_${hash.digest("hex").slice(0, 12)}`;
}

export interface LineNewsParts {
  readonly channel: string;
  readonly database: Pick<Database, "queryNamed">;
  readonly replica: Pick<Replica, "seen" | "expected">;
  /** Reads what other daemons wrote. */
  readonly look: () => Promise<void>;
}

/**
 * What daemons tell each other of new lines. Only those who wait for a run of another daemon need it: a daemon at work reads
 * before each request and batch. Every word wakes every daemon and a process of the database for each, so a batch tells of its
 * lines only where nobody told anything lately; else one word follows for all of them, by whichever daemon is first.
 * What is lost is found by looking every few seconds.
 */
export class LineNews implements AsyncDisposable {
  readonly #parts: LineNewsParts;
  /** By the clock of the process: when any daemon told of lines, as far as is known here. */
  #toldAtMs = -Infinity;
  /** The newest line that any daemon told of. */
  #told = 0;
  /** The newest line of this daemon that its batch did not tell of. */
  #untold = 0;
  #telling: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** The newest line that was heard of and not looked for yet; infinite when something may have been missed. */
  #heard = 0;
  #looking: NodeJS.Timeout | undefined;
  #readAtMs = -Infinity;

  constructor(parts: LineNewsParts) {
    this.#parts = parts;
  }

  get channel(): string {
    return this.#parts.channel;
  }

  /** True when a batch that is written now should tell of its lines with its commit. */
  isDue(): boolean {
    return performance.now() - this.#toldAtMs >= BETWEEN_TOLD_MS;
  }

  /** This daemon wrote lines up to `n`. */
  wrote(n: number, { isTold }: { readonly isTold: boolean }): void {
    if (isTold) {
      this.#noteTold(n);
      return;
    }
    this.#untold = n;
    if (this.#telling === undefined) this.#tellLater();
  }

  /** This daemon has read all that was written, for whatever reason. */
  noteRead(): void {
    this.#readAtMs = performance.now();
  }

  /** `payload` is undefined when something may have been missed. What goes wrong is found again by whoever asks next. */
  hear(payload: string | undefined): void {
    if (payload !== undefined) this.#noteTold(Number(payload));
    this.hearEarlier(payload);
  }

  /** The same on the channel of earlier versions: a word there may be of another market, so nothing counts as told by it. */
  hearEarlier(payload: string | undefined): void {
    const n = payload === undefined ? Infinity : Number(payload);
    this.#heard = Math.max(this.#heard, n);
    if (this.#hasRead(this.#heard)) return;
    this.#lookIn(Math.max(GATHER_MS, this.#untilLookMs()));
  }

  /** Tells what is not told yet, and nothing after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#looking);
    clearTimeout(this.#telling);
    await this.#tellRest();
  }

  #untilLookMs(): number {
    return BETWEEN_LOOKS_MS - (performance.now() - this.#readAtMs);
  }

  #lookIn(waitMs: number): void {
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined;
      if (this.#hasRead(this.#heard)) return;
      // What it read since then had all that was heard of before; the rest comes with what it reads next.
      const leftMs = this.#untilLookMs();
      if (leftMs > 0 && this.#heard < Infinity) {
        this.#lookIn(leftMs);
        return;
      }
      this.#heard = 0;
      this.#parts.look().catch(() => undefined);
    }, waitMs).unref();
  }

  /**
   * Once nobody has told anything for some time. Batches tell sooner, and at different daemons the wait is different: else
   * all of them would tell at once.
   */
  #tellLater(): void {
    this.#tellIn(this.#untilToldMs() + GATHER_MS * (1 + Math.random()), () => {
      if (this.#untold <= this.#told) this.#tellUnlessRead(this.#told);
      else if (this.#untilToldMs() > 0) this.#tellLater();
      else void this.#tellRest();
    });
  }

  /** A word of lines up to `told` covers those of this daemon when it has read that far. */
  #tellUnlessRead(told: number): void {
    const untold = this.#untold;
    const end = () => {
      if (!this.#hasRead(told)) void this.#tellRest();
      else if (this.#untold > untold) this.#tellLater();
      else this.#untold = 0;
    };
    if (this.#hasRead(told)) end();
    else this.#tellIn(2 * BETWEEN_LOOKS_MS, end);
  }

  #hasRead(n: number): boolean {
    return n <= this.#parts.replica.expected;
  }

  #untilToldMs(): number {
    return Math.max(0, BETWEEN_TOLD_MS - (performance.now() - this.#toldAtMs));
  }

  #tellIn(waitMs: number, tell: () => void): void {
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      tell();
    }, waitMs).unref();
  }

  async #tellRest(): Promise<void> {
    const isCovered = this.#untold <= this.#told && this.#hasRead(this.#told);
    if (this.#untold === 0 || isCovered) return;
    const untold = this.#untold;
    const { n } = this.#parts.replica.seen;
    this.#untold = 0;
    this.#toldAtMs = performance.now();
    try {
      await this.#parts.database.queryNamed("tell", TELL, [this.#parts.channel, String(n)]);
      this.#noteTold(n);
    } catch {
      this.#untold = Math.max(this.#untold, untold);
      if (!this.#isClosed && this.#telling === undefined) this.#tellIn(AGAIN_MS, () => void this.#tellRest());
    }
  }

  #noteTold(n: number): void {
    this.#toldAtMs = performance.now();
    this.#told = Math.max(this.#told, n);
  }
}
