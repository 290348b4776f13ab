import type { RunRecord } from "../ledger/records/run-record.ts";

/** A run, or the search for an earlier answer, that others with the same reuse key wait for. */
export interface RunAhead {
  /** The API key that it was made with. */
  readonly keyId: string | undefined;
  /** The answer that it came to; undefined if it has none to give. Never rejects. */
  readonly ended: Promise<RunRecord | undefined>;
  /** Lets the others go on; the second time it does nothing. */
  end(answer?: RunRecord): void;
  /**
   * True when an equal run of another daemon was quicker: this one has called nobody yet, and may wait for that one, or look
   * again for the answer that it has left.
   */
  isOvertaken(): boolean;
}

export interface RunAheadElsewhere extends RunAhead {
  /** As `end`; its answer is in the store, where a run that looked before may not have seen it. */
  endKept(): void;
}

/**
 * The runs under way that later ones with the same reuse key wait for: one for each key. It is empty at the start of
 * a daemon; the runs that it goes on with are entered again.
 */
export class RunsAhead {
  readonly #byKey = new Map<string, RunAhead>();
  /** At their providers, driven by other daemons. None of the sets is empty. */
  readonly #elsewhere = new Map<string, Set<RunAhead>>();
  /** Of those of this daemon: an answer was kept after they had begun to look for one. */
  readonly #overtaken = new WeakSet<RunAhead>();

  find(key: string): RunAhead | undefined {
    return this.#byKey.get(key) ?? this.#elsewhere.get(key)?.values().next().value;
  }

  /** Undefined when there is one ahead already. */
  enter(key: string, keyId: string | undefined): RunAhead | undefined {
    if (this.find(key) !== undefined) return undefined;
    const ahead = this.#make(key, keyId, () => {
      if (this.#byKey.get(key) === ahead) this.#byKey.delete(key);
    });
    this.#byKey.set(key, ahead);
    return ahead;
  }

  /** A run that another daemon drives has begun at its provider. */
  enterElsewhere(key: string, keyId: string | undefined): RunAheadElsewhere {
    const others = this.#elsewhere.get(key) ?? new Set<RunAhead>();
    this.#elsewhere.set(key, others);
    const ahead = this.#make(key, keyId, () => {
      others.delete(ahead);
      if (others.size === 0 && this.#elsewhere.get(key) === others) this.#elsewhere.delete(key);
    });
    others.add(ahead);
    const endKept = () => {
      const own = this.#byKey.get(key);
      if (own !== undefined) this.#overtaken.add(own);
      ahead.end();
    };
    return { ...ahead, endKept };
  }

  #make(key: string, keyId: string | undefined, leave: () => void): RunAhead {
    let resolve: (answer: RunRecord | undefined) => void = () => {};
    const ended = new Promise<RunRecord | undefined>((settle) => {
      resolve = settle;
    });
    const ahead: RunAhead = {
      keyId,
      ended,
      end(answer) {
        leave();
        resolve(answer);
      },
      isOvertaken: () => this.#elsewhere.has(key) || this.#overtaken.has(ahead),
    };
    return ahead;
  }
}
