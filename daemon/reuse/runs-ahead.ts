import type { RunRecord } from "../ledger/run-record.ts";

/** A run, or the search for an earlier answer, that others with the same reuse key wait for. */
export interface RunAhead {
  /** The API key that it was made with. */
  readonly keyId: string | undefined;
  /** The answer that it came to; undefined if it has none to give. Never rejects. */
  readonly ended: Promise<RunRecord | undefined>;
  /** Lets the others go on; the second time it does nothing. */
  end(answer?: RunRecord): void;
}

/**
 * The runs under way that later ones with the same reuse key wait for: one for each key. It is empty at the start of
 * a daemon; the runs that it goes on with are entered again.
 */
export class RunsAhead {
  readonly #byKey = new Map<string, RunAhead>();

  find(key: string): RunAhead | undefined {
    return this.#byKey.get(key);
  }

  /** Undefined when there is one ahead already. */
  enter(key: string, keyId: string | undefined): RunAhead | undefined {
    if (this.#byKey.has(key)) return undefined;
    let resolve: (answer: RunRecord | undefined) => void = () => {};
    const ended = new Promise<RunRecord | undefined>((settle) => {
      resolve = settle;
    });
    const ahead: RunAhead = {
      keyId,
      ended,
      end: (answer) => {
        if (this.#byKey.get(key) === ahead) this.#byKey.delete(key);
        resolve(answer);
      },
    };
    this.#byKey.set(key, ahead);
    return ahead;
  }
}
