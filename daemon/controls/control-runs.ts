import type { WorkspaceId } from "../base/ids.ts";
import { isTerminal } from "../ledger/records/run-record.ts";
import type { RunFacts } from "../ledger/records/run-facts.ts";
import type { RunFilter, RunStore, RunSummary } from "../ledger/stores/run-store.ts";
import type { MetControl } from "../ledger/records/control-records.ts";
import { controlsOf } from "../ledger/records/met-controls.ts";
import { windowEnd } from "../ledger/money/spend-windows.ts";
import { openRunStatuses } from "../../shared/run-status.ts";

export type MetBudget = Extract<MetControl, { kind: "budget" }>;
export type MetRunCap = Extract<MetControl, { kind: "runCap" }>;

/** What happened to the amount that a run required from a budget. docs/contract.md, "Records of controls". */
export type BudgetRunStatus = "HELD" | "SETTLED" | "RELEASED" | "ABORTED" | "BLOCKED";
export type RunCapRunStatus = "PASSED" | "BLOCKED";

/** A run, and the state of the control when the run met it. */
export interface MeetingRun<Met extends MetControl> {
  readonly run: RunSummary;
  readonly met: Met;
}

/** One page, newest first. `next` is the position where the next page starts; absent on the last page. */
export interface MeetingSlice<Met extends MetControl> {
  readonly items: readonly MeetingRun<Met>[];
  /** Runs among them whose records are damaged: they met the control; what became of its money is not known. */
  readonly damaged: readonly RunFacts[];
  readonly next?: number;
}

export interface MeetingPage {
  readonly limit: number;
  readonly before?: number;
}

/**
 * What a run did with a budget's money: held while it is open; settled if the provider delivered, which is the only
 * case with a charge; released if it did not; aborted if the budget had enough left but another control refused the
 * run.
 */
export function budgetRunStatus(run: RunSummary, met: MetControl): BudgetRunStatus {
  if (run.status === "BLOCKED") return met.isBlocking ? "BLOCKED" : "ABORTED";
  if (!isTerminal(run)) return "HELD";
  const httpStatus = run.providerResponse?.httpStatus ?? 0;
  return run.status === "COMPLETED" && httpStatus >= 200 && httpStatus < 300 ? "SETTLED" : "RELEASED";
}

export function runCapRunStatus(met: MetControl): RunCapRunStatus {
  return met.isBlocking ? "BLOCKED" : "PASSED";
}

/** The run statuses that a filter may match; the records decide which runs do. */
const runStatuses: Readonly<Record<string, readonly RunSummary["status"][]>> = {
  HELD: openRunStatuses,
  SETTLED: ["COMPLETED"],
  RELEASED: ["COMPLETED", "FAILED", "STOPPED", "TIMED_OUT"],
  BLOCKED: ["BLOCKED"],
};

/** Runs that met a budget in the window that begins at `windowStart`. */
export async function listBudgetRuns(
  store: RunStore,
  of: { readonly workspaceId: WorkspaceId; readonly controlId: string },
  filter: {
    readonly period: MetBudget["period"];
    readonly windowStart: string;
    readonly status?: BudgetRunStatus | undefined;
  },
  page: MeetingPage,
): Promise<MeetingSlice<MetBudget>> {
  // A run is metered at its creation, or later if the clock was set back.
  const madeBefore = windowEnd(filter.period, filter.windowStart);
  return await collect(
    store,
    of,
    { ...statusFilter(filter.status), until: madeBefore },
    { ...page, madeFrom: Date.parse(filter.windowStart) },
    (run, met) => {
      if (met.kind !== "budget") return undefined;
      // Windows follow the order of acceptance, so all further runs met an older one.
      if (met.windowStart < filter.windowStart) return "end";
      const isMatch = met.windowStart === filter.windowStart;
      return isMatch && (filter.status === undefined || budgetRunStatus(run, met) === filter.status) ? met : undefined;
    },
  );
}

export async function listRunCapRuns(
  store: RunStore,
  of: { readonly workspaceId: WorkspaceId; readonly controlId: string },
  filter: { readonly status?: RunCapRunStatus | undefined },
  page: MeetingPage,
): Promise<MeetingSlice<MetRunCap>> {
  return await collect(store, of, statusFilter(filter.status), page, (_, met) => {
    if (met.kind !== "runCap") return undefined;
    return filter.status === undefined || runCapRunStatus(met) === filter.status ? met : undefined;
  });
}

function statusFilter(status: string | undefined): Pick<RunFilter, "statuses"> {
  const statuses = status === undefined ? undefined : runStatuses[status];
  return statuses === undefined ? {} : { statuses };
}

/** Of damaged runs on one page, which may have fewer others for it. */
const MAX_DAMAGED = 100;

/**
 * Goes through runs until the page is full: what the index cannot tell apart, `choose` does. `madeFrom`, in milliseconds since
 * the epoch: a damaged run that is older is another window's.
 */
async function collect<Met extends MetControl>(
  store: RunStore,
  { workspaceId, controlId }: { readonly workspaceId: WorkspaceId; readonly controlId: string },
  filter: RunFilter,
  page: MeetingPage & { readonly madeFrom?: number },
  choose: (run: RunSummary, met: MetControl) => Met | "end" | undefined,
): Promise<MeetingSlice<Met>> {
  const items: MeetingRun<Met>[] = [];
  const damaged: RunFacts[] = [];
  const { madeFrom = -Infinity } = page;
  let before = page.before;
  for (;;) {
    const limit = page.limit - items.length;
    const slice = await store.listWhatIsLeft(
      workspaceId,
      { ...filter, controlId },
      { limit, ...(before !== undefined && { before }) },
    );
    for (const run of slice.items) {
      if ("damaged" in run) {
        if (run.damaged.createdAtMs >= madeFrom) damaged.push(run.damaged);
        continue;
      }
      const met = controlsOf(run).find((control) => control.controlId === controlId);
      const chosen = met && choose(run, met);
      if (chosen === "end") return { items, damaged };
      if (chosen !== undefined) items.push({ run, met: chosen });
    }
    if (slice.next === undefined) return { items, damaged };
    if (items.length === page.limit || damaged.length >= MAX_DAMAGED) return { items, damaged, next: slice.next };
    before = slice.next;
  }
}
