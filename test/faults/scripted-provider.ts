import {
  NoAnswerError,
  type Provider,
  type ProviderAnswer,
  type ProviderJob,
  type ProviderStopped,
  type StopOutcome,
} from "../../daemon/providers/protocol/provider.ts";

type Outcome = ProviderAnswer | ProviderJob | ProviderStopped;

/** One call that waits for its answer. */
interface PendingCall {
  readonly kind: "start" | "poll";
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** A provider that answers when a test says so, and what it says. */
export class ScriptedProvider implements Provider {
  /** Calls that wait, by run. */
  readonly pending = new Map<string, PendingCall>();
  /** Runs that it was called for, once for each start. */
  readonly started: string[] = [];
  nextStop: StopOutcome["outcome"] = "stopped";

  start: Provider["start"] = async ({ runId }, { signal }) => {
    this.started.push(runId);
    return (await this.#wait(runId, "start", signal)) as ProviderAnswer | ProviderJob;
  };

  poll: Provider["poll"] = async ({ runId }, _job, { signal }) => await this.#wait(runId, "poll", signal);

  stop: Provider["stop"] = async () => ({ outcome: this.nextStop, attempts: [] });

  async close(): Promise<void> {}

  #wait(runId: string, kind: PendingCall["kind"], signal: AbortSignal): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) => {
      const call = { kind, resolve, reject };
      this.pending.set(runId, call);
      signal.addEventListener("abort", () => {
        if (this.pending.get(runId) === call) this.pending.delete(runId);
        reject(noAnswer());
      });
    });
  }

  /** Lets the call for the run end; false when none waits. */
  give(runId: string, outcome: Outcome | "none"): boolean {
    const call = this.pending.get(runId);
    if (call === undefined) return false;
    this.pending.delete(runId);
    if (outcome === "none") call.reject(noAnswer());
    else call.resolve(outcome);
    return true;
  }
}

function noAnswer(): NoAnswerError {
  return new NoAnswerError("the provider is gone", { source: "network", maybeExecuted: true, attempts: [] });
}

export function answerOf(httpStatus: number, count: number): ProviderAnswer {
  const success = httpStatus < 300;
  return {
    kind: "answer",
    httpStatus,
    success,
    output: success ? { count } : null,
    body: { count },
    measured: { count },
    notes: [],
    attempts: [],
    ...(!success && { error: { status: httpStatus, message: "no" } }),
  };
}

export const scriptedJob: ProviderJob = {
  kind: "job",
  externalId: "j1",
  state: {},
  pollAfterMs: 0,
  polls: 0,
  attempts: [],
};
