import { RecordedWorkspaceId } from "./recorded-ids.ts";
import { z } from "zod";
import { KeyRole } from "../../../shared/contract/roles.ts";
import { RecordedAmountFromZero } from "../money/recorded-amount.ts";
import { PERIODS } from "../money/spend-windows.ts";

export const UserRecord = z.object({
  userId: z.string().min(1),
  username: z.string(),
  email: z.string().exactOptional(),
  /** The user's identity at the identity provider; absent for users that were created here. */
  subject: z.object({ issuer: z.string(), id: z.string() }).exactOptional(),
  /** The user's values of the claims that the operator chose. */
  metadata: z.record(z.string(), z.unknown()).exactOptional(),
  /** When the token with these claims was issued; ISO 8601. */
  metadataAt: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type UserRecord = z.infer<typeof UserRecord>;

export const WorkspaceRecord = z.object({
  workspaceId: z.string().min(1),
  name: z.string(),
  slug: z.string(),
  /** Its organisation at the identity provider; absent for workspaces that were created here. */
  organisation: z.object({ issuer: z.string(), id: z.string() }).exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

/** An API key as kept: never the secret, only its SHA-256 (docs/security.md, T15). */
export const KeyRecord = z.object({
  keyId: z.string(),
  workspaceId: RecordedWorkspaceId,
  label: z.string(),
  /** SHA-256 (hex) of `<stage>_<secret>`: the first word of a key is not part of it. */
  hash: z.string(),
  /** The part that may be shown: `mkt_live_a1b2c3d4`. */
  prefix: z.string(),
  /** Names the key in `caller`; derived from the hash, safe to show. */
  fingerprint: z.string(),
  owner: z.string(),
  createdBy: z.string(),
  scopes: z.array(z.string()).min(1),
  /** Absent for keys that were created with scopes only, as all keys once were. */
  role: KeyRole.exactOptional(),
  operator: z.literal(true).exactOptional(),
  /** Slugs of the providers that it may run; absent: all. */
  providers: z.array(z.string()).exactOptional(),
  /** Endpoints that it may run, as `provider/path`; absent: all of its providers. */
  endpoints: z.array(z.string()).exactOptional(),
  /** What its runs may spend and hold in each window of the period. */
  spendLimit: z.object({ microDollars: RecordedAmountFromZero, period: z.enum(PERIODS) }).exactOptional(),
  /**
   * Ids of its ancestor keys with a spend limit, nearest first. Its spending counts against their limits too, so that
   * nobody can avoid a limit by creating keys.
   */
  limitedBy: z.array(z.string()).exactOptional(),
  /**
   * A session of the console, which acts as another key, or without one as the user who owns it. It has what it acts as may do
   * only so that it can be listed. docs/console.md, "Sessions".
   */
  session: z.object({ keyId: z.string().exactOptional() }).exactOptional(),
  origin: z.enum(["DASHBOARD", "API", "AEP", "SYSTEM"]),
  createdAt: z.string(),
  expiresAt: z.string().exactOptional(),
  revokedAt: z.string().exactOptional(),
  revokedBy: z.string().exactOptional(),
});
export type KeyRecord = z.infer<typeof KeyRecord>;
