import type { MoneyUnits } from "../../shared/contract/common.ts";
import { ApiError } from "../../shared/errors.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { askedHeading, commitAsked } from "../ledger/transaction/asked-change.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import { type KeepAnswer, keepNothing } from "../idempotency/keep-answer.ts";
import type { RunStore } from "../ledger/stores/run-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import type { MoneyReads, Spending } from "../ledger/transaction/money-reads.ts";
import type { BudgetRecord, ControlRecord, RunCapRecord } from "../ledger/records/control-records.ts";
import {
  type BudgetRunStatus,
  listBudgetRuns,
  listRunCapRuns,
  type MeetingPage,
  type MeetingSlice,
  type MetBudget,
  type MetRunCap,
  type RunCapRunStatus,
} from "./control-runs.ts";
import type { ControlStore } from "../ledger/stores/control-store.ts";
import { readLimit } from "./read-limit.ts";
import { type SpendPeriod, windowStart } from "../ledger/money/spend-windows.ts";

/** Limited, because every run checks all controls and keeps their state. */
const MAX_CONTROLS = 100;

export type ControlKind = ControlRecord["kind"];
export type ControlOf<Kind extends ControlKind> = Extract<ControlRecord, { kind: Kind }>;

export interface NewRunCap {
  readonly limitAmount: MoneyUnits;
}

export interface NewBudget extends NewRunCap {
  readonly period: SpendPeriod;
}

export interface MadeBudget {
  readonly budget: BudgetRecord;
  /** Spending of its current window at the moment of its creation, counted from the start of the window. */
  readonly spending: Spending;
}

export interface ControlChange {
  readonly limitAmount?: MoneyUnits | undefined;
  readonly status?: ControlRecord["status"] | undefined;
}

/** Manages the budgets and run caps of a workspace; the gates of a run apply them. */
export interface ControlService {
  /** Newest first. `after`: `next` of the page before. */
  list<Kind extends ControlKind>(
    caller: WorkspaceCaller,
    kind: Kind,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<{ readonly items: readonly ControlOf<Kind>[]; readonly next?: string }>;
  /**
   * Throws 400 for an invalid limit, 409 if the workspace has the maximum number. Durable and in force when it
   * resolves.
   */
  createBudget(caller: WorkspaceCaller, wanted: NewBudget, keep?: KeepAnswer<MadeBudget>): Promise<MadeBudget>;
  /** As `createBudget`. */
  createRunCap(caller: WorkspaceCaller, wanted: NewRunCap, keep?: KeepAnswer<RunCapRecord>): Promise<RunCapRecord>;
  /** Throws 404 for an id that is unknown, of another workspace, or of another kind. */
  get<Kind extends ControlKind>(caller: WorkspaceCaller, kind: Kind, controlId: string): Promise<ControlOf<Kind>>;
  /** As `get`; open runs are not affected. */
  change<Kind extends ControlKind>(
    caller: WorkspaceCaller,
    kind: Kind,
    controlId: string,
    change: ControlChange,
  ): Promise<ControlOf<Kind>>;
  /** As `get`. Runs keep the state of the control that they met. */
  delete(caller: WorkspaceCaller, kind: ControlKind, controlId: string): Promise<void>;
  /** The amounts spent and held in the budget's current window. */
  readSpending(budget: BudgetRecord): Promise<Spending>;
  /** As `get`. `windowStart`: any moment of the window asked for, ISO 8601; the current one when absent. */
  listBudgetRuns(
    caller: WorkspaceCaller,
    controlId: string,
    filter: { readonly windowStart?: string | undefined; readonly status?: BudgetRunStatus | undefined },
    page: MeetingPage,
  ): Promise<MeetingSlice<MetBudget>>;
  /** As `get`. */
  listRunCapRuns(
    caller: WorkspaceCaller,
    controlId: string,
    filter: { readonly status?: RunCapRunStatus | undefined },
    page: MeetingPage,
  ): Promise<MeetingSlice<MetRunCap>>;
}

export interface ControlServiceParts {
  readonly store: ControlStore & AccountStore & RunStore & Committer;
  readonly clock: Clock;
  readonly newId: () => string;
}

export function createControlService(parts: ControlServiceParts): ControlService {
  return { ...controlReads(parts), ...controlCreation(parts), ...controlChanges(parts) };
}

function controlReads({
  store,
  clock,
}: ControlServiceParts): Pick<ControlService, "list" | "get" | "readSpending" | "listBudgetRuns" | "listRunCapRuns"> {
  const get: ControlService["get"] = async (caller, kind, controlId) =>
    pick(await store.listControls(caller.workspaceId), kind, controlId);

  const readSpending = async ({ workspaceId, period }: BudgetRecord) => {
    const money = await store.readMoney({ workspaceId });
    return money.spending("workspace", period, money.meteredAt(isoNow(clock)));
  };

  return {
    get,
    readSpending,

    async list(caller, kind, { limit, after }) {
      const ofKind = (await store.listControls(caller.workspaceId)).filter((control) => isOf(control, kind));
      const newestFirst = ofKind.sort((one, other) => (one.controlId < other.controlId ? 1 : -1));
      const rest = after === undefined ? newestFirst : newestFirst.filter(({ controlId }) => controlId < after);
      const items = rest.slice(0, limit);
      const last = items.at(-1);
      return rest.length > limit && last !== undefined ? { items, next: last.controlId } : { items };
    },

    async listBudgetRuns(caller, controlId, { windowStart: asked, status }, page) {
      const budget = await get(caller, "budget", controlId);
      const start =
        asked === undefined ? (await readSpending(budget)).windowStart : windowStart(budget.period, readInstant(asked));
      return await listBudgetRuns(store, budget, { period: budget.period, windowStart: start, status }, page);
    },

    async listRunCapRuns(caller, controlId, filter, page) {
      return await listRunCapRuns(store, await get(caller, "runCap", controlId), filter, page);
    },
  };
}

function controlCreation({
  store,
  clock,
  newId,
}: ControlServiceParts): Pick<ControlService, "createBudget" | "createRunCap"> {
  const newControl = ({ workspaceId }: WorkspaceCaller, limitAmount: MoneyUnits) => {
    const at = isoNow(clock);
    return {
      controlId: newId(),
      workspaceId,
      limitMicroDollars: readLimit(limitAmount),
      status: "ACTIVE" as const,
      createdAt: at,
      updatedAt: at,
    };
  };

  return {
    async createBudget(caller, { period, limitAmount }, keep = keepNothing) {
      const budget: BudgetRecord = { kind: "budget", ...newControl(caller, limitAmount), period };
      const at = budget.createdAt;
      const created = await commitAsked(store, caller, (money) => {
        checkRoom(money);
        const spending = money.spending("workspace", period, money.meteredAt(at));
        const made = { budget, spending };
        const line = { t: "control.created" as const, ...askedHeading(caller, at), control: budget, ...keep(made) };
        return { made, line };
      });
      return created.made;
    },

    async createRunCap(caller, { limitAmount }, keep = keepNothing) {
      const runCap: RunCapRecord = { kind: "runCap", ...newControl(caller, limitAmount) };
      await commitAsked(store, caller, (money) => {
        checkRoom(money);
        const at = runCap.createdAt;
        return {
          line: { t: "control.created" as const, ...askedHeading(caller, at), control: runCap, ...keep(runCap) },
        };
      });
      return runCap;
    },
  };
}

function controlChanges({ store, clock }: ControlServiceParts): Pick<ControlService, "change" | "delete"> {
  return {
    async change(caller, kind, controlId, { limitAmount, status }) {
      const at = isoNow(clock);
      const limit = limitAmount === undefined ? undefined : readLimit(limitAmount);
      const changed = await commitAsked(store, caller, ({ controls }) => {
        const control = {
          ...pick(controls, kind, controlId),
          ...(limit !== undefined && { limitMicroDollars: limit }),
          ...(status !== undefined && { status }),
          updatedAt: at,
        };
        return { control, line: { t: "control.changed" as const, ...askedHeading(caller, at), control } };
      });
      return changed.control;
    },

    async delete(caller, kind, controlId) {
      await commitAsked(store, caller, ({ controls }) => {
        pick(controls, kind, controlId);
        return { line: { t: "control.deleted" as const, ...askedHeading(caller, isoNow(clock)), controlId } };
      });
    },
  };
}

function isOf<Kind extends ControlKind>(control: ControlRecord, kind: Kind): control is ControlOf<Kind> {
  return control.kind === kind;
}

function pick<Kind extends ControlKind>(
  controls: readonly ControlRecord[],
  kind: Kind,
  controlId: string,
): ControlOf<Kind> {
  const found = controls.find((control) => control.controlId === controlId);
  if (found === undefined || !isOf(found, kind)) {
    const [what, list] = kind === "budget" ? ["Budget", "budgets"] : ["Run cap", "run-caps"];
    throw new ApiError("notFound", `${what} ${controlId} not found; GET /v1/controls/workspace/${list} lists them`);
  }
  return found;
}

function readInstant(text: string): string {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new ApiError("invalidInput", `windowStart: must be a date and time in ISO 8601 (got "${text}")`);
}

function checkRoom({ controls }: MoneyReads): void {
  if (controls.length < MAX_CONTROLS) return;
  throw new ApiError("conflict", `This workspace has ${MAX_CONTROLS} budgets and run caps, which is the maximum`);
}
