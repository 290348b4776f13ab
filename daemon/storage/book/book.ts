import type { WorkspaceId } from "../../base/ids.ts";
import type { Guard } from "../../ledger/transaction/commit-errors.ts";
import type { IdentityLine } from "../../ledger/lines/identity-lines.ts";
import type { KeyRecord } from "../../ledger/records/identity-records.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import { type AnswersBook, applyAnswer, emptyAnswersBook } from "./answers-book.ts";
import { applyApproval, type ApprovalsBook, emptyApprovalsBook, followKey } from "./approvals-book.ts";
import { applyConsole, type ConsoleBook, emptyConsoleBook } from "./console-book.ts";
import { applyControl, type ControlsBook, emptyControlsBook } from "./controls-book.ts";
import {
  addSession,
  applyIdentity,
  emptyIdentityBook,
  type IdentityBook,
  listKeys,
  spendingKeys,
} from "./identity-book.ts";
import { applyPostings, emptyMoneyBook, type MoneyBook } from "./money-book.ts";
import { applyResources, emptyResourcesBook, holderOf, type ResourcesBook } from "./resources-book.ts";
import {
  applyEvents,
  applyWebhook,
  conditionKey,
  disableWebhooksOfKey,
  emptyWebhooksBook,
  type WebhooksBook,
} from "./webhooks-book.ts";
import {
  applySchedule,
  applyScheduledRun,
  emptySchedulesBook,
  holdsOfSchedule,
  listSchedules,
  type SchedulesBook,
} from "./schedules-book.ts";
import { applySpending, emptySpendingBook, forgetSchedule, type SpendingBook } from "./spending-book.ts";

/**
 * The state that results from the lines, except runs. It is small, so all of it is in memory and in every snapshot. A
 * store keeps two books: one with all accepted lines, for guards, and one with the durable lines, for readers.
 */
export interface Book {
  readonly identity: IdentityBook;
  readonly money: MoneyBook;
  readonly spending: SpendingBook;
  readonly controls: ControlsBook;
  readonly approvals: ApprovalsBook;
  readonly resources: ResourcesBook;
  readonly schedules: SchedulesBook;
  readonly answers: AnswersBook;
  readonly webhooks: WebhooksBook;
  readonly console: ConsoleBook;
}

export function emptyBook(): Book {
  return {
    identity: emptyIdentityBook(),
    money: emptyMoneyBook(),
    spending: emptySpendingBook(),
    controls: emptyControlsBook(),
    approvals: emptyApprovalsBook(),
    resources: emptyResourcesBook(),
    schedules: emptySchedulesBook(),
    answers: emptyAnswersBook(),
    webhooks: emptyWebhooksBook(),
    console: emptyConsoleBook(),
  };
}

/** The only code that knows what a line does. All stores and recovery use it. */
export function applyToBook(book: Book, line: Line): void {
  if ("led" in line) applyPostings(book.money, line.led);
  applyAnswer(book.answers, line);
  applyEvents(book.webhooks, line);
  switch (line.t) {
    case "owner.created":
    case "workspace.created":
    case "user.created":
    case "user.changed":
    case "member.added":
    case "key.created":
    case "key.renamed":
    case "key.revoked":
      applyIdentity(book.identity, line);
      for (const keyId of revokedKeys(line))
        disableWebhooksOfKey(book.webhooks, keyId, { at: line.at, why: "KEY_REVOKED" });
      if (line.t === "key.created") followKey(book.approvals, endedBefore(book.identity, line), line.key);
      break;
    case "console.ticket":
    case "console.signedIn":
      applyConsole(book.console, line);
      if (line.t === "console.signedIn") addSession(book.identity, line.key, line.at);
      break;
    case "control.created":
    case "control.changed":
    case "control.deleted":
      applyControl(book.controls, line);
      break;
    case "approval.ruleCreated":
    case "approval.ruleChanged":
    case "approval.ruleDeleted":
      applyApproval(book.approvals, line);
      break;
    case "run.accepted":
    case "run.done":
      applySpending(book.spending, line, spendingKeys(book.identity, line.rec.keyId));
      applyResources(book.resources, line);
      applyScheduledRun(book.schedules, line);
      break;
    case "schedule.created":
    case "schedule.changed":
    case "schedule.paused":
    case "schedule.resumed":
    case "schedule.skipped":
    case "schedule.deleted":
      applySchedule(book.schedules, line);
      if (line.t === "schedule.deleted") forgetSchedule(book.spending, line.schedule);
      break;
    case "resource.changed":
      applySpending(book.spending, line, []);
      applyResources(book.resources, line);
      break;
    case "webhook.created":
    case "webhook.changed":
    case "webhook.deleted":
    case "webhook.tried":
    case "webhook.keyExpired":
    case "webhook.resent":
    case "webhook.event":
    case "webhook.condition":
      applyWebhook(book.webhooks, line);
      break;
    default:
      // The run index keeps what happens to a run in between; of a wallet line only the postings matter.
      break;
  }
}

export function guardHolds(book: Book, guard: Guard): boolean {
  switch (guard.kind) {
    case "labelFree":
      return !activeKeys(book, guard.workspaceId).some((key) => key.label === guard.label);
    case "slugFree":
      return !book.identity.slugs.has(guard.slug);
    case "idFree":
      return !book.identity.users.has(guard.id) && !book.identity.workspaces.has(guard.id);
    case "resourceRevision":
      return book.resources.resources.get(guard.resourceId)?.revision === guard.revision;
    case "holderOfId":
      return holderOf(book.resources, guard.id)?.resourceId === guard.resourceId;
    case "keyActive": {
      const key = book.identity.keys.get(guard.keyId);
      return key !== undefined && key.revokedAt === undefined;
    }
    case "operatorKeys": {
      const active = [...book.identity.keys.values()].filter(isActiveOperator);
      return active.length === guard.keyIds.length && active.every(({ keyId }) => guard.keyIds.includes(keyId));
    }
    case "consoleTicket":
      return book.console.tickets.has(guard.hash);
    case "condition":
      return book.webhooks.conditions.has(conditionKey(guard.workspaceId, guard.condition)) === guard.holds;
    case "schedule":
      return holdsOfSchedule(book.schedules, guard);
    case "roomForSchedule":
      return listSchedules(book.schedules, guard.workspaceId).length < guard.most;
    case "noOwner":
      return !book.identity.hasOwner;
  }
}

function revokedKeys(line: IdentityLine): readonly string[] {
  if (line.t === "key.revoked") return [line.keyId];
  return line.t === "key.created" ? (line.replaces ?? []) : [];
}

/** The keys whose place a new one takes: those that it replaces, and those that were called as it is. */
function endedBefore(
  identity: IdentityBook,
  { key: made, replaces = [] }: Extract<IdentityLine, { t: "key.created" }>,
): readonly string[] {
  const ended = listKeys(identity, made.workspaceId).filter(
    ({ label, revokedAt }) => label === made.label && revokedAt !== undefined,
  );
  return [...replaces, ...ended.map(({ keyId }) => keyId)];
}

function isActiveOperator({ operator, revokedAt }: KeyRecord): boolean {
  return operator === true && revokedAt === undefined;
}

function activeKeys(book: Book, workspaceId: WorkspaceId): KeyRecord[] {
  return listKeys(book.identity, workspaceId).filter((key) => key.revokedAt === undefined);
}
