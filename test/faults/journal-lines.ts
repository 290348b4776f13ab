import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the invariants look at in a line of the journal. */
export interface JournalLine {
  readonly t: string;
  readonly at?: string;
  readonly run?: string;
  readonly schedule?: string;
  readonly dueAt?: string;
  readonly missed?: number;
  readonly events?: readonly { readonly type: string; readonly to: readonly (readonly [string, string])[] }[];
  readonly led?: ReadonlyArray<readonly [account: string, microDollars: number]>;
  readonly rec?: {
    readonly status: string;
    readonly heldMicroDollars: number;
    readonly billing?: { readonly reported: number };
    readonly idempotency?: { readonly key: string };
    readonly schedule?: { readonly scheduleId: string; readonly dueAt?: string; readonly missed?: number };
  };
}

/**
 * Every line of a stopped daemon's journal, as a person would read it: up to the end that the header of the next segment
 * names. What a writer that lost its folder appended after that counts for nothing. docs/storage.md, "One writer".
 */
export function readJournal(dataDir: string): JournalLine[] {
  const folder = join(dataDir, "log");
  const segments = readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .sort()
    .map((name) => readFileSync(join(folder, name)));
  return segments
    .flatMap((bytes, at) => bytes.toString("utf8", 0, endBefore(segments[at + 1]) ?? bytes.length).split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalLine);
}

/** Where the segment before this one ends. */
function endBefore(next: Buffer | undefined): number | undefined {
  if (next === undefined) return undefined;
  return (JSON.parse(next.toString("utf8", 0, next.indexOf("\n"))) as { readonly end: number }).end;
}

export interface JournalFacts {
  /** Runs in the order of acceptance. */
  readonly accepted: readonly string[];
  /** Finished runs, with how they ended. */
  readonly done: ReadonlyMap<string, string>;
  /** Micro-dollars by account. */
  readonly accounts: ReadonlyMap<string, number>;
  /** What is wrong; nothing of it may ever be. */
  readonly broken: readonly string[];
}

/** Adds up a journal, and says which rule of the ledger it breaks. docs/storage.md, "Runs and money on the disk". */
export function addUp(lines: readonly JournalLine[]): JournalFacts {
  const accepted: string[] = [];
  const done = new Map<string, string>();
  const accounts = new Map<string, number>();
  const holds = new Map<string, number>();
  const keys = new Set<string>();
  const broken: string[] = [];
  for (const { t, run = "", led = [], rec } of lines) {
    if (led.reduce((sum, [, amount]) => sum + amount, 0) !== 0) broken.push(`${t} ${run} does not sum to 0`);
    for (const [account, amount] of led) {
      const sum = (accounts.get(account) ?? 0) + amount;
      accounts.set(account, sum);
      if (/^ws:.*:(bal|held)$/.test(account) && sum < 0) broken.push(`${account} is ${sum} after ${t} ${run}`);
    }
    if (t === "run.accepted") {
      if (holds.has(run) || done.has(run)) broken.push(`${run} is accepted twice`);
      accepted.push(run);
      holds.set(run, rec?.heldMicroDollars ?? 0);
      const key = rec?.idempotency?.key;
      if (key !== undefined && keys.has(key)) broken.push(`${run} has the idempotency key of another run`);
      if (key !== undefined) keys.add(key);
    }
    if (t === "run.done") {
      if (done.has(run)) broken.push(`${run} is finished twice`);
      done.set(run, rec?.status ?? "");
      holds.delete(run);
    }
  }
  const held = [...accounts]
    .filter(([account]) => account.endsWith(":held"))
    .reduce((sum, [, amount]) => sum + amount, 0);
  const open = [...holds.values()].reduce((sum, amount) => sum + amount, 0);
  if (held !== open) broken.push(`${held} is held, and open runs hold ${open}`);
  return { accepted, done, accounts, broken };
}
