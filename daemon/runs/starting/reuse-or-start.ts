import type { RunRequest } from "../../../shared/contract/runs.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { RunReuse } from "../../ledger/records/reuse-record.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { EarlierAnswers } from "../../reuse/earlier-answers.ts";
import { type CredentialOf, planReuse } from "../../reuse/plan-reuse.ts";
import type { AdmissionFacts, AdmissionParts, AdmittedRun } from "../admission/admission.ts";
import { admitRun } from "../admission/admit-run.ts";
import type { LiveRun } from "../work/live-run.ts";
import { Overtaken } from "../queue/overtaken.ts";
import type { RunBeginning, RunOrigin, RunStarter } from "./run-starter.ts";
import type { WaitingCallers } from "./waiting-callers.ts";

export interface ReuseOrStartParts extends AdmissionParts {
  /** Absent: no run is answered from an earlier one. */
  readonly credentialOf?: CredentialOf;
  readonly starter: RunStarter;
  readonly earlierAnswers: EarlierAnswers;
  readonly waiting: WaitingCallers;
  readonly isClosing: () => boolean;
  /** A run was answered from an earlier one, durably. */
  readonly onEnded: (run: RunRecord) => void;
}

/** Admits what is asked for; it has the answer of an earlier run, or is started. */
export class ReuseOrStart {
  readonly #parts: ReuseOrStartParts;

  constructor(parts: ReuseOrStartParts) {
    this.#parts = parts;
  }

  /** A function of its own, so that a waiting caller does not keep the admitted run in memory. */
  async begin(
    caller: WorkspaceCaller,
    request: RunRequest,
    options: RunOrigin & AdmissionFacts & { readonly signal?: AbortSignal },
  ): Promise<LiveRun | RunRecord> {
    const sinceMs = Date.now();
    const admitted = await admitRun(this.#parts, caller, request, { hops: options.hops ?? [], signal: options.signal });
    if (this.#parts.isClosing()) throw shuttingDown();
    const { idempotency, schedule, guards } = options;
    const { entry, input, maxPages } = admitted;
    const plan = async () =>
      await planReuse(caller, { entry, input, maxPages, maxAge: request.maxAge }, this.#parts.credentialOf);
    for (;;) {
      // Which member answers a route is not known before, so there is no earlier answer to look for.
      const reuse = admitted.route === undefined && entry.reuse !== undefined ? await plan() : undefined;
      if (reuse === undefined) {
        return await this.#parts.starter.begin(caller, admitted, { idempotency, schedule, guards, sinceMs, reuse });
      }
      const found = await this.#findEarlier(caller, admitted, reuse, options);
      if ("answer" in found) {
        // While it waited, somebody may have logged in with another account, or set another secret.
        if ((await plan())?.key !== reuse.key) continue;
        const how = { idempotency, schedule, guards, sinceMs, reuse, source: found.answer };
        const run = await this.#parts.starter.beginReused(caller, admitted, how);
        this.#parts.onEnded(run);
        return run;
      }
      try {
        return await this.#parts.starter.begin(caller, admitted, {
          idempotency,
          schedule,
          guards,
          sinceMs,
          reuse,
          ...found,
        });
      } catch (error) {
        // An equal run of another daemon was quicker; this one waits for its answer.
        if (!(error instanceof Overtaken)) throw error;
      }
    }
  }

  /**
   * An answer for the run, or how it begins without one. A run that is answered at once waits for equal ones before it is
   * accepted, so that it holds nothing meanwhile. An async one is accepted first, as its caller wants its id.
   */
  async #findEarlier(
    { workspaceId, key }: WorkspaceCaller,
    { entry, deadlineMs }: AdmittedRun,
    reuse: RunReuse,
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<{ readonly answer: RunRecord } | Pick<RunBeginning, "lead" | "isLed">> {
    const earlier = this.#parts.earlierAnswers;
    const wanted = { workspaceId, keyId: key?.keyId, reuse };
    if (reuse.maxAgeSeconds === undefined) return { lead: earlier.lead(wanted) };
    if (entry.async !== undefined && earlier.isLed(wanted)) {
      const answer = await earlier.findNow(wanted);
      if (answer !== undefined) return { answer };
      if (earlier.isLed(wanted)) return { isLed: true };
    }
    const found = await this.#parts.waiting.forEqualRun(workspaceId, signal, async (until) => {
      return await earlier.find(wanted, { patienceMs: deadlineMs, signal: until });
    });
    if (!this.#parts.isClosing() && signal?.aborted !== true) return found;
    if ("lead" in found) found.lead?.end();
    throw shuttingDown();
  }
}

function shuttingDown(): ApiError {
  return new ApiError("unavailable", "The daemon is shutting down; try again in a moment", { retryAfterSeconds: 2 });
}
