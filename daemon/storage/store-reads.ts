import type { ResourceRecord } from "../ledger/records/resource-record.ts";
import type { ResourceStore } from "../ledger/stores/resource-store.ts";
import type { WorkspaceId } from "../base/ids.ts";
import { listApprovalRules } from "./book/approvals-book.ts";
import { listControls } from "./book/controls-book.ts";
import { listKeys, makersOf } from "./book/identity-book.ts";
import { readAccount } from "./book/money-book.ts";
import { moneyReads } from "./book/money-reads.ts";
import { listSchedules } from "./book/schedules-book.ts";
import { holderOf } from "./book/resources-book.ts";
import type { History } from "./history.ts";
import type { StoreState } from "./store-state.ts";
import type { StoreReads } from "./store.ts";
import { findDelivery, findWebhook, listWebhooks } from "./book/webhooks-book.ts";
import type { WebhookStore } from "../ledger/stores/webhook-store.ts";

/** All that features read, on whatever keeps the lines. */
export function storeReads<Where>(state: StoreState, history: History<Where>): StoreReads {
  const { book, runs } = state;
  const { identity, money, controls, approvals, schedules, answers } = book;
  return {
    ...webhookReads(state),
    ...resourceReads(state, history),
    findRun: (workspaceId, runId) => history.findRun(workspaceId, runId),
    listRuns: (workspaceId, filter, page) => history.listRuns(workspaceId, filter, page),
    listWhatIsLeft: (workspaceId, filter, page) => history.listWhatIsLeft(workspaceId, filter, page),
    scanRuns: (workspaceId, filter) => history.scanRuns(workspaceId, filter),
    sumRuns: (workspaceId, filter, by) => history.sumRuns(workspaceId, filter, by),
    findKeptRun: (query) => history.findKeptRun(query),
    listOpenRuns: async () => structuredClone(runs.list().map(({ run }) => run)),
    identityRevision: () => state.othersSettled,
    async findKeyByHash(hash) {
      const keyId = identity.keyIdsByHash.get(hash);
      return keyId === undefined ? undefined : identity.keys.get(keyId);
    },
    findKey: async (keyId) => identity.keys.get(keyId),
    listMakers: async (keyId) => makersOf(identity, keyId),
    listKeys: async (workspaceId) => listKeys(identity, workspaceId),
    findUser: async (userId) => identity.users.get(userId),
    findWorkspace: async (workspaceId) => identity.workspaces.get(workspaceId),
    listWorkspaces: async () => [...identity.workspaces.values()],
    async listWorkspacesOf(userId) {
      return (identity.memberships.get(userId) ?? []).flatMap(
        (workspaceId) => identity.workspaces.get(workspaceId) ?? [],
      );
    },
    listMembersOf: async (workspaceId) =>
      [...identity.users.values()].filter(({ userId }) => identity.memberships.get(userId)?.includes(workspaceId)),
    readAccounts: async (accounts) => accounts.map((account) => readAccount(money, account)),
    readMoney: async (of) => moneyReads(book, of),
    listMovements: history.listMovements,
    listControls: async (workspaceId) => listControls(controls, workspaceId),
    listApprovalRules: async (workspaceId) => listApprovalRules(approvals, workspaceId),
    async findSchedule(workspaceId, scheduleId) {
      const found = schedules.byId.get(scheduleId);
      return found?.schedule.workspaceId === workspaceId ? found : undefined;
    },
    followLines: (listener) => state.followLines(listener),
    findConsoleTicket: async (hash) => state.book.console.tickets.get(hash),
    listSchedules: async (workspaceId) => listSchedules(schedules, workspaceId),
    listAllSchedules: async () => [...schedules.byId.values()],
    async findIdempotency(key) {
      const kept = answers.byKey.get(key);
      return kept === undefined ? history.findRunByKey(key) : { kind: "answer", answer: kept.answer };
    },
  };
}

/** Live ones from memory, which is looked at first: what is not there any more is in the history. */
function resourceReads<Where>({ book }: StoreState, history: History<Where>): ResourceStore {
  const { resources } = book.resources;
  const liveOf = (workspaceId: WorkspaceId): ResourceRecord[] =>
    [...resources.values()].filter((resource) => resource.workspaceId === workspaceId);
  return {
    async findResource(workspaceId, resourceId) {
      const found = resources.get(resourceId);
      if (found !== undefined) return found.workspaceId === workspaceId ? found : undefined;
      return await history.resources.findEnded(workspaceId, resourceId);
    },
    findHolder: async (id) => holderOf(book.resources, id),
    listResources: (workspaceId, filter, place) =>
      history.resources.list(() => liveOf(workspaceId), workspaceId, filter, place),
    listLiveResourcesOf: async (workspaceId) => liveOf(workspaceId),
    listLiveResources: async () => [...resources.values()],
    async *scanRentedResources(workspaceId, since = "") {
      const live = liveOf(workspaceId);
      const ids = new Set(live.map(({ resourceId }) => resourceId));
      yield* live;
      for await (const ended of history.resources.scanEnded(workspaceId, { rentedSince: since })) {
        if (!ids.has(ended.resourceId)) yield ended;
      }
    },
  };
}

function webhookReads(state: StoreState): WebhookStore {
  const { webhooks } = state.book;
  return {
    listWebhooks: async (workspaceId) => listWebhooks(webhooks, workspaceId),
    findWebhook: async (webhookId) => findWebhook(webhooks, webhookId),
    listWebhookWorkspaces: async () => [...new Set(webhooks.workspaceOf.values())],
    listDeliveries: async (webhookId) => [
      ...(webhooks.ended.get(webhookId)?.values() ?? []),
      ...(webhooks.waiting.get(webhookId)?.values() ?? []),
    ],
    findDelivery: async (delivery) => findDelivery(webhooks, delivery),
    listWaitingDeliveries: async () =>
      [...webhooks.waiting].flatMap(([webhookId, waiting]) => [...waiting.keys()].map((id) => ({ webhookId, id }))),
    watchDeliveries: (listener) => state.watchDeliveries(listener),
    listConditions: async () =>
      [...webhooks.conditions].map(([key, since]) => {
        const end = key.indexOf("\n");
        return { workspaceId: key.slice(0, end), condition: key.slice(end + 1), since };
      }),
  };
}
