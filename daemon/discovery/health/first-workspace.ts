import type { IdentityStore } from "../../ledger/identity-store.ts";

/** The operator's own workspace, which is the first; undefined until a moment after somebody asked once it was made. */
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
