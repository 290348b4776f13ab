import { z } from "zod";

const at = z.string();

/** Where the tokens of a connection may be sent. A file that names other addresses later does not get them. */
export const ConnectionBinding = z.strictObject({
  clientId: z.string(),
  issuer: z.string().exactOptional(),
  /** Origins of the login's own addresses: tokens, renewals, revocation. */
  loginOrigins: z.array(z.string()),
  /** The addresses themselves: one origin may have logins of many, told apart by their paths. Absent: of before. */
  loginAddresses: z.array(z.string()).exactOptional(),
  /** Origins that are called with the access token. */
  apiOrigins: z.array(z.string()),
});
export type ConnectionBinding = z.infer<typeof ConnectionBinding>;

/**
 * A workspace's connection to a provider: the tokens that a login gave. One file each, in the configuration folder.
 * docs/connections.md.
 */
export const ConnectionRecord = z.strictObject({
  format: z.literal(1),
  connectionId: z.string(),
  workspaceId: z.string(),
  provider: z.string(),
  connectedAt: at,
  /** The actor who logged in, and the label of its key. */
  connectedBy: z.string(),
  keyLabel: z.string().exactOptional(),
  binding: ConnectionBinding,
  scopeAsked: z.string().exactOptional(),
  /** Absent: the provider did not say, so it is what was asked. */
  scopeGranted: z.string().exactOptional(),
  accessToken: z.string().exactOptional(),
  /** When the access token was got; its life is counted from there. */
  obtainedAt: at,
  /** Absent: the provider did not say. */
  expiresAt: at.exactOptional(),
  refreshToken: z.string().exactOptional(),
  /** Whether a renewal gave a new refresh token, which spends the old one; absent: nothing was renewed yet. */
  rotates: z.boolean().exactOptional(),
  /**
   * Written before a renewal is sent. If it is still there at a start, or after a renewal, no answer was kept, and the
   * refresh token may be spent.
   */
  renewingSince: at.exactOptional(),
  lastFailure: z.strictObject({ at, message: z.string() }).exactOptional(),
  /** Set when the provider refused to renew it. It has no tokens then. */
  revokedAt: at.exactOptional(),
});
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

/** By what a mark finds the connection that it is about. */
export type MarkedConnection = Pick<ConnectionRecord, "workspaceId" | "provider" | "connectionId" | "accessToken">;

/** The record with the mark; undefined when it is not the connection, or the token, that the mark is about. */
export function marked(
  stored: ConnectionRecord | undefined,
  { connectionId, accessToken }: MarkedConnection,
  lastFailure: ConnectionRecord["lastFailure"],
): ConnectionRecord | undefined {
  if (stored?.connectionId !== connectionId || stored.accessToken !== accessToken) return undefined;
  const { lastFailure: _before, ...rest } = stored;
  return lastFailure === undefined ? rest : { ...rest, lastFailure };
}

/** Where connections are kept: apart from the data folder, and so in no backup. At most one for each workspace and provider. */
export interface ConnectionStore {
  find(workspaceId: string, provider: string): ConnectionRecord | undefined;
  /** Of all workspaces. */
  all(): readonly ConnectionRecord[];
  /** By provider. */
  list(workspaceId: string): readonly ConnectionRecord[];
  /** For a login: whatever is stored is replaced. Resolves when durable; in effect at once. */
  put(record: ConnectionRecord): Promise<void>;
  /**
   * For a renewal: in effect at once, since what it replaces may be spent already. Resolves when durable; false, and nothing is
   * written, when a later login took the place of this connection, or it was removed.
   */
  keep(record: ConnectionRecord): Promise<boolean>;
  /**
   * Writes what happened to a connection last (absent: all is well), and leaves the rest of it as it is stored. Resolves when
   * durable; false, and nothing is written, when what is stored is another login, or has another access token.
   */
  mark(record: MarkedConnection, lastFailure: ConnectionRecord["lastFailure"]): Promise<boolean>;
  /**
   * Resolves when the disk says that the record is being renewed, for a process that starts before `put` says how it
   * went; in this process nothing changes. With the record instead, when another daemon that shares the store has renewed
   * it meanwhile: then nobody renews it again, since its refresh token may be spent.
   */
  markRenewing(record: ConnectionRecord, since: string): Promise<ConnectionRecord | undefined>;
  /**
   * Removes this connection, however often it was renewed. Resolves when durable; false when there is another one by a
   * later login, which stays.
   */
  remove(record: Pick<ConnectionRecord, "workspaceId" | "provider" | "connectionId">): Promise<boolean>;
}
