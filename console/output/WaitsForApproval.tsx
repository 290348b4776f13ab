import type { RunApproval } from "../../shared/contract/approvals.ts";
import { Money } from "../parts/Money.tsx";
import { Time } from "../parts/Time.tsx";
import { may } from "../service/rights.ts";

/** That a run waits for a person, why, until when, and where it is decided. */
export function WaitsForApproval({ approval }: { readonly approval: RunApproval }) {
  const { maximum, above, expiresAt } = approval;
  return (
    <p class="note warn" role="status">
      It waits for approval until <Time at={expiresAt} as="clock" />, since it may cost <Money amount={maximum} />,
      which is more than <Money amount={above} />.{" "}
      {may("listApprovals") && (
        <a href="#/controls/approvals">{may("approveRun") ? "Decide it in Controls" : "See what waits in Controls"}</a>
      )}
    </p>
  );
}
