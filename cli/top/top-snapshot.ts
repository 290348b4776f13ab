import type { WorkspaceBudget } from "../../shared/contract/controls.ts";
import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import type { Run, RunListItem } from "../../shared/contract/runs.ts";
import type { UsageTotal } from "../../shared/contract/usage.ts";
import type { WalletBalanceResponse } from "../../shared/contract/wallet.ts";

/** A run that goes on, with the provider's own word on how far it is, where it was asked for. */
export type TopRun = RunListItem & Pick<Partial<Run>, "progress" | "progressUnit">;

/** How a provider did in the runs that were looked at. */
export interface ProviderTrend {
  readonly provider: string;
  readonly runs: number;
  /** Of those, how many FAILED or TIMED_OUT, or were answered an error by the provider. */
  readonly failed: number;
  /** Milliseconds of the runs that delivered, oldest first. */
  readonly latenciesMs: readonly number[];
  /** The worst health of its endpoints that were run. */
  readonly health?: EndpointMetrics["status"];
}

/** What goes on in a workspace; what `mkt top` shows, and with `--json` prints. */
export interface TopSnapshot {
  /** When it was read, by this machine's clock. */
  readonly at: string;
  readonly url: string;
  /** Newest first. `queued` and the others count those listed; `isAll` is false where there are more. */
  readonly inFlight: {
    readonly runs: readonly TopRun[];
    readonly queued: number;
    readonly running: number;
    readonly stopping: number;
    readonly isAll: boolean;
  };
  /** The newest that have ended, newest first. */
  readonly ended: readonly RunListItem[];
  /** Those of the newest runs, the most run first. */
  readonly providers: readonly ProviderTrend[];
  /** Since midnight, UTC. */
  readonly today: UsageTotal;
  /** Left out where the key may not see it. */
  readonly budgets?: readonly WorkspaceBudget[];
  /** Left out where the key may not see it. */
  readonly wallet?: Pick<WalletBalanceResponse, "balance" | "held" | "unlimited">;
}
