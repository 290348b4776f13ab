/*
 * What callers may count on, as a plain model without a daemon: a wallet, runs, and what each event does to them.
 *
 *   event                 run                                       money
 *   accepted              open                                      its maximum is held, or it is refused
 *   answered 2xx          COMPLETED                                 charged, at most what was held
 *   answered otherwise    COMPLETED                                 nothing charged
 *   no answer             FAILED (STOPPED when a stop was asked)    nothing charged
 *   stopped               STOPPED                                   nothing charged
 *   restart               a job goes on; what was called is FAILED  nothing charged
 */

export const PRICE = { sync: 10_000, perResult: 2_000, maxResults: 10 } as const;
export const HOLD = { sync: PRICE.sync, async: PRICE.perResult * PRICE.maxResults } as const;

export interface ModelRun {
  readonly mode: "sync" | "async";
  /** What its provider was last asked for. */
  asked: "start" | "poll";
  isStopping: boolean;
  /** Undefined while it is open. */
  end?: { readonly statuses: readonly string[]; readonly charged: number };
}

export class LifeModel {
  /** Micro-dollars that are free. */
  balance = 60_000;
  readonly runs: ModelRun[] = [];
  starts = 0;

  get open(): ModelRun[] {
    return this.runs.filter(({ end }) => end === undefined);
  }

  get held(): number {
    return this.open.reduce((sum, { mode }) => sum + HOLD[mode], 0);
  }

  canAfford(mode: ModelRun["mode"]): boolean {
    return this.balance >= HOLD[mode];
  }

  accept(mode: ModelRun["mode"]): void {
    this.balance -= HOLD[mode];
    this.starts += 1;
    this.runs.push({ mode, asked: "start", isStopping: false });
  }

  finish(run: ModelRun, statuses: readonly string[], charged = 0): void {
    const taken = Math.min(charged, HOLD[run.mode]);
    this.balance += HOLD[run.mode] - taken;
    run.end = { statuses, charged: taken };
  }

  restart(): void {
    for (const run of this.open) if (run.asked === "start") this.finish(run, ["FAILED", "STOPPED"]);
  }
}
