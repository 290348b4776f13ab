import type { Quote } from "../../shared/contract/quote.ts";
import { Money } from "../parts/Money.tsx";
import { Status } from "../parts/Status.tsx";

const REFUSALS: Readonly<Record<string, string>> = {
  wallet: "the wallet",
  maxCost: "your own limit",
  keyLimit: "the limit of the key",
  runCap: "a run cap",
  budget: "a budget",
};

/** What a run would cost, and whether it would be let through. */
export function Quoted({ quote }: { readonly quote: Quote }) {
  const { estimate, maximum, wouldBlock, approvalAbove } = quote;
  return (
    <div class="figures" role="status">
      <div>
        <span class="figure-name">Likely</span>
        <Money amount={estimate} />
      </div>
      <div>
        <span class="figure-name">At most</span>
        <Money amount={maximum} />
      </div>
      <div>
        <span class="figure-name">Would it go through?</span>
        {wouldBlock.length > 0 ? (
          <Status status={`No: ${wouldBlock.map(({ kind }) => REFUSALS[kind] ?? kind).join(", ")}`} tone="bad" />
        ) : (
          <Status
            status={approvalAbove === undefined ? "Yes" : "After an approval"}
            tone={approvalAbove === undefined ? "good" : "warn"}
          />
        )}
        {wouldBlock[0] !== undefined && (
          <small class="muted">
            <Money amount={wouldBlock[0].available} /> are left
          </small>
        )}
      </div>
    </div>
  );
}
