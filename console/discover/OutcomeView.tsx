import type { Run } from "../../shared/contract/runs.ts";
import { isTerminal } from "../../shared/run-status.ts";
import { OutputView } from "../output/OutputView.tsx";
import { RunProgress } from "../output/RunProgress.tsx";
import { WaitsForApproval } from "../output/WaitsForApproval.tsx";
import { Money } from "../parts/Money.tsx";
import { Section } from "../parts/Screen.tsx";
import { Problem } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { href } from "../page/route.ts";
import { useFollowedRun } from "../service/follow-run.ts";
import { may } from "../service/rights.ts";

/** What a run answered with: its record, or what stands of it so far. */
export type Outcome = Pick<Run, "runId" | "status"> &
  Partial<
    Pick<Run, "output" | "cost" | "error" | "reason" | "progress" | "progressUnit" | "createdAt" | "approval"> &
      Pick<Run, "providerResponse">
  >;

interface OutcomeViewProps {
  readonly outcome: Outcome;
  readonly onChange: (outcome: Outcome) => void;
}

/** The run of the form, followed until it has ended. */
export function OutcomeView({ outcome, onChange }: OutcomeViewProps) {
  const { runId, status, error, reason, approval, output } = outcome;
  const isOpen = !isTerminal(outcome);
  const isWaiting = approval?.status === "WAITING";
  // Who may run may not be one who may read.
  useFollowedRun(runId, isOpen && may("getRun"), onChange);
  const why =
    reason ??
    (typeof error === "string" ? error : error?.message) ??
    (isOpen ? undefined : outcome.providerResponse?.error?.message);
  return (
    <Section
      title="What it gave"
      aside={
        <span class="actions">
          <Status status={isWaiting ? "WAITING" : status} />
          <Money amount={outcome.cost} />
          {may("getRun") && <a href={href(["runs", runId])}>Its whole story</a>}
        </span>
      }
    >
      {why !== undefined && <Problem text={why} />}
      {isWaiting && <WaitsForApproval approval={approval} />}
      {isOpen && !isWaiting && <RunProgress run={outcome} />}
      {isOpen && <p class="muted">You may leave this page; the run goes on.</p>}
      {output !== undefined && output !== null && <OutputView key={status} output={output} fileName={`run-${runId}`} />}
    </Section>
  );
}
