import { isLive } from "../ledger/resource-record.ts";
import { listControls } from "./book/controls-book.ts";
import { listKeys } from "./book/identity-book.ts";
import { readAccount } from "./book/money-book.ts";
import { moneyReads } from "./book/money-reads.ts";
import { holderOf } from "./book/resources-book.ts";
import type { History } from "./history.ts";
import type { StoreState } from "./store-state.ts";
import type { StoreReads } from "./store.ts";

/** All that features read, on whatever keeps the lines. */
export function storeReads<Where>({ book, runs }: StoreState, history: History<Where>): StoreReads {
  const { identity, money, resources, controls, answers } = book;
  return {
    findRun: (workspaceId, runId) => history.findRun(workspaceId, runId),
    listRuns: (workspaceId, filter, page) => history.listRuns(workspaceId, filter, page),
    listWhatIsLeft: (workspaceId, filter, page) => history.listWhatIsLeft(workspaceId, filter, page),
    scanRuns: (workspaceId, filter) => history.scanRuns(workspaceId, filter),
    listOpenRuns: async () => structuredClone(runs.list().map(({ run }) => run)),
    async findKeyByHash(hash) {
      const keyId = identity.keyIdsByHash.get(hash);
      return keyId === undefined ? undefined : identity.keys.get(keyId);
    },
    listKeys: async (workspaceId) => listKeys(identity, workspaceId),
    findUser: async (userId) => identity.users.get(userId),
    findWorkspace: async (workspaceId) => identity.workspaces.get(workspaceId),
    listWorkspaces: async () => [...identity.workspaces.values()],
    async listWorkspacesOf(userId) {
      return (identity.memberships.get(userId) ?? []).flatMap(
        (workspaceId) => identity.workspaces.get(workspaceId) ?? [],
      );
    },
    readAccounts: async (accounts) => accounts.map((account) => readAccount(money, account)),
    readMoney: async (of) => moneyReads(book, of),
    listMovements: history.listMovements,
    listControls: async (workspaceId) => listControls(controls, workspaceId),
    async findResource(workspaceId, resourceId) {
      const found = resources.resources.get(resourceId);
      return found?.workspaceId === workspaceId ? found : undefined;
    },
    findHolder: async (id) => holderOf(resources, id),
    listResources: async (workspaceId) =>
      [...resources.resources.values()].filter((resource) => resource.workspaceId === workspaceId),
    listLiveResources: async () => [...resources.resources.values()].filter(isLive),
    async findIdempotency(key) {
      const kept = answers.byKey.get(key);
      return kept === undefined ? history.findRunByKey(key) : { kind: "answer", answer: kept.answer };
    },
  };
}
