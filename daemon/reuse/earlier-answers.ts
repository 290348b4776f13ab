import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { keptUnder, type RunReuse } from "../ledger/records/reuse-record.ts";
import type { ReuseStore } from "../ledger/stores/reuse-store.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { type CredentialOf, type KeyedRun, keyOfCall } from "./plan-reuse.ts";
import { type RunAhead, type RunAheadElsewhere, RunsAhead } from "./runs-ahead.ts";

/** A run, recorded or about to be, whose answer may be that of an earlier one. */
export interface WantedAnswer extends Pick<RunRecord, "workspaceId"> {
  readonly keyId?: string | undefined;
  readonly reuse: RunReuse;
}

/**
 * What was found: an earlier answer; or nothing, and then the run calls its provider. If nobody with the same key is ahead
 * of it, the others wait for this one: `lead`, which must be ended whatever happens.
 */
export type Found = { readonly answer: RunRecord } | { readonly lead: RunAhead | undefined };

export interface EarlierAnswersParts {
  readonly store: ReuseStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: nothing is found or kept. */
  readonly credentialOf?: CredentialOf;
}

/**
 * How often one waits for another run that then has no answer to give. After that it makes its own call: while a provider
 * fails, fifty must not wait for one another's time limits in turn.
 */
const MAX_WAITS = 3;

/**
 * Finds answers of earlier runs, and lets equal runs wait for the first of them, so that many at once are one call. What
 * is waited for is in memory; what is found is read from the store, so a restart forgets no answer. Where several daemons
 * work on one store, each is told of the runs that the others have begun.
 */
export class EarlierAnswers {
  readonly #parts: EarlierAnswersParts;
  readonly #ahead = new RunsAhead();

  constructor(parts: EarlierAnswersParts) {
    this.#parts = parts;
  }

  /** Enters a run that goes on after a restart, or that takes no earlier answer but may give one. */
  lead({ reuse, keyId }: WantedAnswer): RunAhead | undefined {
    return this.#ahead.enter(reuse.key, keyId);
  }

  /** Enters a run that another daemon drives and that has begun at its provider. */
  leadElsewhere({ reuse, keyId }: WantedAnswer): RunAheadElsewhere {
    return this.#ahead.enterElsewhere(reuse.key, keyId);
  }

  /** Whether an equal run is under way whose answer this one may have. */
  isLed(wanted: WantedAnswer): boolean {
    return this.#aheadOf(wanted) !== undefined;
  }

  /**
   * What a run's answer is kept under if its provider is called now: somebody may have logged in with another account, or
   * set another secret, since it was asked for. Undefined when that is not known. Never rejects: what a provider answered
   * is never lost over it.
   */
  async keyNow(run: KeyedRun, entry: CatalogEntry | undefined): Promise<string | undefined> {
    const { credentialOf, logger } = this.#parts;
    if (credentialOf === undefined || entry === undefined) return undefined;
    try {
      return await keyOfCall(run, entry, credentialOf);
    } catch (error) {
      logger.warn({ err: error }, "with what a provider is called could not be told; the answer is not given again");
      return undefined;
    }
  }

  /** As `find`, but waits for nobody and leads nobody. */
  async findNow(wanted: WantedAnswer): Promise<RunRecord | undefined> {
    return await this.#findKept(wanted);
  }

  /** Waits at most `patienceMs` for runs that are ahead, and until the signal. Never rejects. */
  async find(
    wanted: WantedAnswer,
    { patienceMs, signal }: { readonly patienceMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Found> {
    const enough = linkSignals(signal === undefined ? [] : [signal], patienceMs);
    try {
      for (let waits = 0; ; waits += 1) {
        const ahead = this.#aheadOf(wanted);
        if (ahead === undefined) return await this.#lookUp(wanted);
        if (waits === MAX_WAITS || enough.signal.aborted) return { lead: undefined };
        const answer = await endedOrAborted(ahead, enough.signal);
        if (answer !== undefined && this.#isYoungEnough(answer, wanted)) return { answer };
        // It called nobody, and waits for the same run of another daemon as this one now.
        if (ahead.isOvertaken()) waits -= 1;
      }
    } finally {
      enough.release();
    }
  }

  /** It leads while it looks, so that fifty at once look once, and nobody slips in between the look and the call. */
  async #lookUp(wanted: WantedAnswer): Promise<Found> {
    const lead = this.lead(wanted);
    const answer = await this.#findKept(wanted);
    if (answer === undefined) return { lead };
    lead?.end(answer);
    return { answer };
  }

  #aheadOf({ reuse, keyId }: WantedAnswer): RunAhead | undefined {
    const ahead = this.#ahead.find(reuse.key);
    return ahead === undefined || (reuse.ownKeyOnly && ahead.keyId !== keyId) ? undefined : ahead;
  }

  async #findKept({ workspaceId, keyId, reuse }: WantedAnswer): Promise<RunRecord | undefined> {
    const { store, clock, logger } = this.#parts;
    const { key, maxAgeSeconds, ownKeyOnly } = reuse;
    if (maxAgeSeconds === undefined) return undefined;
    const nowMs = clock.now();
    try {
      return await store.findKeptRun({
        workspaceId,
        key,
        ...(ownKeyOnly && keyId !== undefined && { keyId }),
        from: new Date(nowMs - maxAgeSeconds * 1_000).toISOString(),
        // An answer from the future, after the clock was set back, has no age that could be told.
        until: new Date(nowMs).toISOString(),
      });
    } catch (error) {
      logger.warn({ err: error }, "an answer of an earlier run could not be read; its provider is called");
      return undefined;
    }
  }

  #isYoungEnough({ completedAt }: RunRecord, { reuse: { maxAgeSeconds } }: WantedAnswer): boolean {
    if (completedAt === undefined || maxAgeSeconds === undefined) return false;
    const ageMs = this.#parts.clock.now() - Date.parse(completedAt);
    return ageMs >= 0 && ageMs <= maxAgeSeconds * 1_000;
  }
}

/** What others who wait for a run may have of it; undefined if it has nothing to give. */
export function answerToGive(run: RunRecord): RunRecord | undefined {
  return keptUnder(run) === undefined ? undefined : run;
}

async function endedOrAborted(ahead: RunAhead, signal: AbortSignal): Promise<RunRecord | undefined> {
  if (signal.aborted) return undefined;
  return await new Promise<RunRecord | undefined>((resolve) => {
    const end = () => resolve(undefined);
    signal.addEventListener("abort", end, { once: true });
    void ahead.ended.then((answer) => {
      signal.removeEventListener("abort", end);
      resolve(answer);
    });
  });
}
