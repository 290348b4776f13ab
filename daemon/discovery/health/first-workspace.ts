import type { IdentityStore } from "../../ledger/stores/identity-store.ts";

/** The operator's own workspace, which is the first. The look-up is asynchronous: the first calls return undefined. */
export function createFirstWorkspace(store: Pick<IdentityStore, "listWorkspaces">): () => string | undefined {
  let known: string | undefined;
  let isAsked = false;

  async function ask(): Promise<void> {
    isAsked = true;
    const [first] = await store.listWorkspaces().catch(() => []);
    known = first?.workspaceId;
    isAsked = false;
  }

  void ask();
  return () => {
    if (known === undefined && !isAsked) void ask();
    return known;
  };
}
