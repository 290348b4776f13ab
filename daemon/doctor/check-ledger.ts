import { isDeepStrictEqual } from "node:util";
import { add, type MicroDollars, NO_MONEY } from "../../shared/micro-dollars.ts";
import { countWords } from "../../shared/count-words.ts";
import { errorText } from "../../shared/error-text.ts";
import { credit, debit, heldAccount, hold, type Postings, settle } from "../ledger/money/postings.ts";
import { neverReachedProvider } from "../runs/lifecycle/never-reached.ts";
import { waitsForApproval } from "../ledger/records/approval-records.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";
import { endedAtOnce } from "../ledger/records/run-record.ts";
import { readAccount } from "../storage/book/money-book.ts";
import { sharedIds } from "../storage/book/resources-book.ts";
import { checkedLine } from "../storage/journal/segments/line-shape.ts";
import type { FoundLine } from "../storage/journal/segments/recovery.ts";
import { StoreState } from "../storage/store-state.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import { decidedTime, wasUsed } from "./check-due-times.ts";
import { countDeliveries, deliveryProblems } from "./check-events.ts";
import type { Check, Findings, FindingPlace } from "./finding.ts";

/** An Idempotency-Key means the same request for this long. docs/contract.md, "Idempotency". */
const KEY_PROMISED_MS = 24 * 3_600_000;

/**
 * What must hold of money and runs, line after line. docs/storage.md, "Runs and money on the disk":
 *
 *   every line sums to 0, and no balance leaves the safe integers      by taking it, as a store does
 *   a run is accepted once and finished once, or both in one line      the same
 *   a run holds what its record says, gives that back, and pays its    postings against the record
 *   bill; a credit or debit moves what it says
 *   held is never below 0, and at the end is what open runs hold       accounts against the open runs
 *   a key stands for one request within a day, unless that made nothing
 *   an id at a provider is one live resource
 *   a run that waits for approval begins after a yes for what was asked, by another caller
 */
export class LedgerCheck {
  /** The state after the lines read so far. */
  readonly state: StoreState;
  lines = 0;
  runs = 0;
  keys = 0;
  /** Due times of schedules that were decided. */
  dueTimes = 0;
  deliveries = 0;
  readonly #findings: Findings;
  readonly #placeOf: (found: FoundLine) => FindingPlace;
  readonly #ended = new Set<string>();
  /** Where the lines are that accepted open runs. */
  readonly #acceptedAt = new Map<string, Pick<FoundLine, "file" | "offset" | "length">>();
  /** Key hash → time of its use, oldest first; only those of the last day. */
  readonly #keyUses = new Map<string, string>();

  /** `placeOf` says in a finding where the line is. */
  constructor(findings: Findings, placeOf: (found: FoundLine) => FindingPlace = placeInFile) {
    this.#findings = findings;
    this.#placeOf = placeOf;
    this.state = new StoreState((runId) => this.#ended.has(runId));
  }

  /** False when this version of mkt does not know the line. */
  take(found: FoundLine): boolean {
    const report = (check: Check, message: string) => this.#findings.damage(check, message, this.#placeOf(found));
    this.lines += 1;
    let line: Line;
    try {
      line = checkedLine(found.content);
    } catch (error) {
      report("journal", errorText(error));
      return false;
    }
    try {
      this.state.take({ line });
    } catch (error) {
      report(line.t.startsWith("run.") ? "runs" : "ledger", errorText(error));
    }
    const accepted = this.state.runs.number(line, found.seq) ?? found.seq;
    if (accepted !== found.accepted) {
      report("runs", `the line says that its run was accepted by line ${found.accepted}, it was line ${accepted}`);
    }
    this.#checkInput(line, found, (message) => report("runs", message));
    this.#checkPostings(line, (message) => report("ledger", message));
    this.#checkApproval(line, (message) => report("runs", message));
    this.#countRun(line);
    this.#checkKey(line, (message) => report("idempotency", message));
    this.#freeKey(line);
    this.#checkDueTime(line, (message) => report("schedules", message));
    this.deliveries += countDeliveries(line);
    for (const problem of deliveryProblems(line)) report("webhooks", problem);
    this.state.settle(line, found.seq);
    this.#checkHeld(line, (message) => report("ledger", message));
    return true;
  }

  /** Called after the last line. */
  end(): void {
    const holds = new Map<string, MicroDollars>();
    for (const { run } of this.state.runs.list()) {
      const account = heldAccount(run.workspaceId);
      holds.set(account, add(holds.get(account) ?? NO_MONEY, run.heldMicroDollars));
    }
    const { accounts } = this.state.book.money;
    const held = [...accounts.keys()].filter((account) => account.endsWith(":held"));
    for (const account of new Set([...held, ...holds.keys()])) {
      const [has, ought] = [readAccount(this.state.book.money, account), holds.get(account) ?? NO_MONEY];
      if (has !== ought) {
        this.#findings.damage("ledger", `${account} has ${has} micro-dollars, runs under way hold ${ought}`);
      }
    }
    const sum = [...accounts.values()].reduce((total, amount) => total + BigInt(amount), 0n);
    if (sum !== 0n) this.#findings.damage("ledger", `all accounts sum to ${sum} micro-dollars instead of 0`);
    for (const [first, ...others] of sharedIds(this.state.book.resources)) {
      if (first !== undefined)
        for (const other of others) this.#findings.damage("resources", duplicateWords(first, other));
    }
  }

  /** How much of each kind was checked. */
  recordCounts(): void {
    const { looked } = this.#findings;
    const { money, resources } = this.state.book;
    looked.set("ledger", countWords(money.accounts.size, "account"));
    looked.set("runs", countWords(this.runs, "run"));
    looked.set("idempotency", countWords(this.keys, "key"));
    looked.set("resources", countWords(resources.resources.size, "live resource"));
    looked.set("schedules", countWords(this.dueTimes, "due time"));
    looked.set("webhooks", countWords(this.deliveries, "delivery", "deliveries"));
  }

  /** Nothing that waits for a person begins without a yes, which is for what was asked, and by somebody else. */
  #checkApproval(line: Line, report: (message: string) => void): void {
    if (line.t !== "run.go" && line.t !== "run.approved") return;
    const run = this.state.runs.find(line.run);
    if (run === undefined) return;
    if (line.t === "run.go") {
      if (waitsForApproval(run)) report(`run ${line.run} begins, and nobody has approved it`);
      return;
    }
    const { caller, manifestHash, heldMicroDollars, approval } = run;
    const asked = { caller, manifestHash, inputDigest: approval?.inputDigest, heldMicroDollars };
    if (!waitsForApproval(run)) report(`run ${line.run} is approved, and does not wait for that`);
    if (!isDeepStrictEqual(line.of, asked)) report(`run ${line.run} is approved for something else than it asked for`);
    if (line.decision.by === caller) report(`run ${line.run} is approved by the caller that asked for it`);
  }

  /** A line that leaves its input out refers to the line that has it. */
  #checkInput(line: Line, { file, offset, length }: FoundLine, report: (message: string) => void): void {
    if (line.t === "run.accepted") this.#acceptedAt.set(line.run, { file, offset, length });
    if (line.t !== "run.done") return;
    const at = this.#acceptedAt.get(line.run);
    this.#acceptedAt.delete(line.run);
    if (line.from === undefined || isDeepStrictEqual({ file, ...line.from }, at)) return;
    report(`the line says that its input is at byte ${line.from.offset}, where no line accepted its run`);
  }

  #checkDueTime(line: Line, report: (message: string) => void): void {
    const decided = decidedTime(line);
    if (decided === undefined) return;
    this.dueTimes += 1;
    if (wasUsed(this.state.book.schedules, decided)) {
      report(`${line.t} uses the due time ${decided.dueAt} of schedule ${decided.scheduleId}, which was used before`);
    }
  }

  #checkPostings(line: Line, report: (message: string) => void): void {
    const ought = this.#postingsFor(line);
    if (ought === undefined || !("led" in line)) return;
    const [has, wants] = [sumsOf(line.led), sumsOf(ought)];
    if (!isDeepStrictEqual(has, wants)) report(`${line.t} moves ${wordsOf(has)} instead of ${wordsOf(wants)}`);
  }

  /** The postings that the rest of the line requires; undefined when it does not determine them. */
  #postingsFor(line: Line): Postings | undefined {
    switch (line.t) {
      case "run.accepted":
        return hold(line.ws, line.rec.heldMicroDollars);
      case "run.done": {
        const held = this.state.runs.find(line.run)?.heldMicroDollars ?? NO_MONEY;
        return settle(line.ws, { held, charged: line.rec.billing?.reported ?? NO_MONEY });
      }
      case "wallet.credited":
        return credit(line.ws, line.amount);
      case "wallet.debited":
        return debit(line.ws, line.amount);
      default:
        return undefined;
    }
  }

  #countRun(line: Line): void {
    if (line.t === "run.accepted" || (line.t === "run.done" && endedAtOnce(line.rec))) this.runs += 1;
    if (line.t === "run.done") this.#ended.add(line.run);
  }

  #checkHeld(line: Line, report: (message: string) => void): void {
    if (!("led" in line)) return;
    for (const account of new Set(line.led.map(([name]) => name))) {
      const amount = readAccount(this.state.book.money, account);
      if (account.endsWith(":held") && amount < 0) report(`${account} falls to ${amount} micro-dollars`);
    }
  }

  #checkKey(line: Line, report: (message: string) => void): void {
    const key = keyUsedBy(line);
    if (key === undefined) return;
    this.keys += 1;
    // A key from the distant future, when the clock was wrong, is as far away as an old one.
    const isFar = (at: string) => Math.abs(Date.parse(line.at) - Date.parse(at)) > KEY_PROMISED_MS;
    for (const [known, at] of this.#keyUses) {
      if (!isFar(at)) break;
      this.#keyUses.delete(known);
    }
    const before = this.#keyUses.get(key);
    if (before !== undefined && !isFar(before))
      report(`the Idempotency-Key with hash ${key} was used at ${before} too`);
    this.#keyUses.delete(key);
    this.#keyUses.set(key, line.at);
  }

  /** The key of a run that never reached its provider can be used again. */
  #freeKey(line: Line): void {
    if (line.t !== "run.done" || line.rec.idempotency === undefined) return;
    if (neverReachedProvider(line.rec)) this.#keyUses.delete(line.rec.idempotency.key);
  }
}

function placeInFile({ file, offset }: FoundLine): FindingPlace {
  return { file: `log/${file}`, offset };
}

/** The key of the line, if it is the first line of what a key created. */
function keyUsedBy(line: Line): string | undefined {
  if ("idem" in line) return line.idem?.key;
  if (line.t === "run.accepted" || (line.t === "run.done" && endedAtOnce(line.rec))) return line.rec.idempotency?.key;
  return undefined;
}

/** Earlier versions allowed an id to be taken twice. */
function duplicateWords(first: ResourceRecord, other: ResourceRecord): string {
  const { provider, resource, externalId } = first;
  const where = (one: ResourceRecord) => `${one.resourceId} of workspace ${one.workspaceId}`;
  return (
    `${where(other)} is recorded of the same ${resource} of ${provider}, ${JSON.stringify(externalId)}, as ${where(first)}, ` +
    "which was made before it and has it. It cannot be used and is charged no more rent; its release ends the record alone. " +
    "What its workspace paid for it may be credited"
  );
}

/** Account → micro-dollars, without accounts that nothing is moved on. */
function sumsOf(led: Postings): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [account, amount] of led) sums.set(account, (sums.get(account) ?? 0) + amount);
  return new Map([...sums].filter(([, amount]) => amount !== 0));
}

function wordsOf(sums: ReadonlyMap<string, number>): string {
  return sums.size === 0 ? "nothing" : [...sums].map(([account, amount]) => `${amount} on ${account}`).join(", ");
}
