import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { EarlierAnswers } from "../../reuse/earlier-answers.ts";
import type { RunAhead } from "../../reuse/runs-ahead.ts";

/** A run at work among equal ones: it may have the answer of an earlier one, and later ones may wait for its own. */
export class EqualRuns {
  readonly #earlier: Pick<EarlierAnswers, "find" | "lead" | "keyNow"> | undefined;
  /** Equal runs wait for this one. Ended together with the run, whatever becomes of it. */
  #lead: RunAhead | undefined;

  /** Without `earlier` it is answered from no earlier run. */
  constructor(earlier: Pick<EarlierAnswers, "find" | "lead" | "keyNow"> | undefined, lead: RunAhead | undefined) {
    this.#earlier = earlier;
    this.#lead = lead;
  }

  get lead(): RunAhead | undefined {
    return this.#lead;
  }

  /** Nobody waits for this run any more; `answer`: what those who did get. */
  endLead(answer?: RunRecord): void {
    this.#lead?.end(answer);
    this.#lead = undefined;
  }

  /** Waits for an equal run that is ahead; without an answer the run goes on, and may lead the others. */
  async find(
    run: RunRecord,
    { patienceMs, until }: { readonly patienceMs: number; readonly until: UntilStopWished },
  ): Promise<RunRecord | undefined> {
    const earlier = this.#earlier;
    const { reuse } = run;
    if (earlier === undefined || reuse?.maxAgeSeconds === undefined || this.#lead !== undefined) return undefined;
    return await until(async (signal) => {
      const found = await earlier.find({ ...run, reuse }, { patienceMs, signal });
      if ("answer" in found) return found.answer;
      this.#lead = found.lead;
      signal.throwIfAborted();
      return undefined;
    });
  }

  /** What the run's answer is kept under if its provider is called now; undefined when it is not kept, or that is unknown. */
  async keyNow(run: RunRecord, entry: CatalogEntry | undefined): Promise<string | undefined> {
    if (run.reuse === undefined) return undefined;
    return await this.#earlier?.keyNow(run, entry);
  }

  /**
   * While a run waited, its workspace may have connected another account, or its operator may have set another secret. Its
   * answer is then one to them, and nobody who waits for an answer to the former gets it.
   */
  withKey(run: RunRecord, key: string | undefined): RunRecord {
    const { reuse, ...rest } = run;
    if (reuse === undefined || key === reuse.key) return run;
    this.endLead();
    return key === undefined ? rest : { ...rest, reuse: { ...reuse, key } };
  }
}

type UntilStopWished = <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/** What was called is known only if the account and the secrets were the same before the call and after it. */
export function keptOnlyUnder(run: RunRecord, key: string | undefined): RunRecord {
  const { reuse, ...rest } = run;
  return reuse === undefined || key === reuse.key ? run : rest;
}
