import type { LiveChange, LiveRun } from "../../../shared/contract/events.ts";
import type { LiveEventType } from "../../../shared/contract/live-event-types.ts";
import type { Scope } from "../../../shared/contract/scopes.ts";
import { toMoney } from "../../../shared/micro-dollars.ts";
import type { WorkspaceId } from "../../base/ids.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";
import type { SettledLine } from "../../ledger/stores/line-feed.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";

/** Something that happened, and who may know. */
export interface LiveEvent {
  readonly type: LiveEventType;
  /** Absent: of the service, for every workspace. */
  readonly workspaceId?: WorkspaceId;
  /** What the reader's credentials need; absent: nothing more. */
  readonly scope?: Scope | "operator";
  /** Present for what belongs to a key: one that is limited to its own things learns only of these. */
  readonly keyId?: string | undefined;
  /** Absent for the wallet, which is told as it is when it is told. */
  readonly data?: LiveRun | LiveChange;
}

/** The events of one line, always the same and in the same order. */
export function eventsOfLine(settled: SettledLine): readonly LiveEvent[] {
  return [...changesOf(settled), ...walletOf(settled.line)];
}

function changesOf({ line, run, key, schedule }: SettledLine): readonly LiveEvent[] {
  const { at } = line;
  const change = (
    type: LiveEventType,
    scope: Scope,
    { workspaceId, id }: { workspaceId: WorkspaceId; id?: string | undefined },
  ): LiveEvent => ({ type, workspaceId, scope, data: { ...(id !== undefined && { id }), kind: kindOf(line), at } });
  switch (line.t) {
    case "run.accepted":
    case "run.approved":
    case "run.go":
    case "run.job":
    case "run.next":
    case "run.stop":
    case "run.done":
      return run === undefined ? [] : [...runEvents(line, run)];
    case "approval.ruleCreated":
    case "approval.ruleChanged":
      return [change("approval", "controls:read", { workspaceId: line.ws, id: line.rule.ruleId })];
    case "approval.ruleDeleted":
      return [change("approval", "controls:read", { workspaceId: line.ws, id: line.ruleId })];
    case "control.created":
    case "control.changed":
      return [change("control", "controls:read", { workspaceId: line.ws, id: line.control.controlId })];
    case "control.deleted":
      return [change("control", "controls:read", { workspaceId: line.ws, id: line.controlId })];
    case "schedule.created":
    case "schedule.changed":
    case "schedule.paused":
    case "schedule.resumed":
    case "schedule.skipped":
    case "schedule.deleted":
      return [
        {
          ...change("schedule", "runs:read", { workspaceId: line.ws, id: line.schedule }),
          keyId: schedule?.actsAs.keyId,
        },
      ];
    case "webhook.created":
    case "webhook.changed":
      return [change("webhook", "controls:read", { workspaceId: line.ws, id: line.webhook.webhookId })];
    case "webhook.deleted":
    case "webhook.resent":
      return [change("webhook", "controls:read", { workspaceId: line.ws, id: line.webhookId })];
    case "resource.changed":
      return [change("resource", "resources:read", { workspaceId: line.ws, id: line.resource.resourceId })];
    case "key.created":
    case "console.signedIn":
      return [change("key", "api_keys:read", { workspaceId: line.key.workspaceId, id: line.key.label })];
    case "key.renamed":
    case "key.revoked":
      return key === undefined ? [] : [change("key", "api_keys:read", { workspaceId: key.workspaceId, id: key.label })];
    case "webhook.condition":
      return [
        {
          type: "catalog",
          workspaceId: line.ws,
          data: { id: line.condition, kind: line.holds ? "began" : "ended", at },
        },
      ];
    default:
      return [];
  }
}

/** `run.done` → `done`. */
function kindOf({ t }: Line): string {
  const word = t.slice(t.indexOf(".") + 1);
  return word.replace(/^rule([A-Z])/, (_, letter: string) => letter.toLowerCase());
}

function* runEvents(line: Line, run: RunRecord): Generator<LiveEvent> {
  const { runId, workspaceId, status, provider, endpoint, billing, keyId, approval } = run;
  const at = line.at;
  const common = { workspaceId, scope: "runs:read", keyId } as const;
  const cost = isTerminal(run) && billing !== undefined ? { cost: toMoney(billing.actual) } : {};
  yield { ...common, type: "run", data: { runId, status, provider, endpoint, ...cost, at } };
  if (approval !== undefined && ["run.accepted", "run.approved", "run.done"].includes(line.t)) {
    yield { ...common, type: "approval", data: { id: runId, kind: APPROVAL_KINDS[line.t] ?? "ended", at } };
  }
  const resources = line.t === "run.done" ? (line.res ?? []) : [];
  for (const { resourceId } of resources) {
    yield {
      type: "resource",
      workspaceId,
      scope: "resources:read",
      keyId,
      data: { id: resourceId, kind: "changed", at },
    };
  }
}

const APPROVAL_KINDS: Readonly<Record<string, string>> = { "run.accepted": "waiting", "run.approved": "approved" };

/** Accounts of workspaces are `wallet:<id>` and `held:<id>`. */
function walletOf(line: Line): readonly LiveEvent[] {
  if (!("led" in line) || line.led.length === 0) return [];
  const workspaceId = "ws" in line ? line.ws : line.t === "owner.created" ? line.workspace.workspaceId : undefined;
  return workspaceId === undefined ? [] : [{ type: "wallet", workspaceId, scope: "wallet:read" }];
}
