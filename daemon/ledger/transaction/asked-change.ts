import type { WorkspaceId } from "../../base/ids.ts";
import type { Guard } from "./commit-errors.ts";
import { commitMade } from "./commit-made.ts";
import type { MoneyReads } from "./money-reads.ts";
import type { Committer, Line } from "./transaction.ts";

/** Who asks for a change of what a workspace has. */
export interface Asker {
  readonly workspaceId: WorkspaceId;
  readonly actor: string;
  /** Absent: they asked with an access token. */
  readonly key?: { readonly keyId: string } | undefined;
}

/** The asker's key is not revoked when the line is taken. */
export function keyStillActive({ key }: Pick<Asker, "key">): readonly Guard[] {
  return key === undefined ? [] : [{ kind: "keyActive", keyId: key.keyId }];
}

/** What every line of an asked change begins with. */
export function askedHeading({ workspaceId, actor }: Asker, at: string) {
  return { v: 1 as const, at, ws: workspaceId, by: actor };
}

/** Commits a line that is computed from what the workspace has at the moment of the commit. */
export async function commitAsked<Made extends { readonly line: Line }>(
  store: Committer,
  asker: Asker,
  make: (money: MoneyReads) => Made,
): Promise<Made> {
  return await commitMade(store, { of: { workspaceId: asker.workspaceId }, guards: keyStillActive(asker), make });
}
