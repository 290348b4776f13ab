import { RecordedUserId, RecordedWorkspaceId } from "../records/recorded-ids.ts";
import { z } from "zod";
import { Postings } from "../money/postings.ts";
import { IdempotentAnswer } from "../records/idempotency-record.ts";
import { KeyRecord, UserRecord, WorkspaceRecord } from "../records/identity-records.ts";

const common = { v: z.literal(1), at: z.string() };

/** The very first line of a data folder: user, workspace, owner key and starting credit, all or nothing. */
export const OwnerCreatedLine = z.object({
  t: z.literal("owner.created"),
  ...common,
  user: UserRecord,
  workspace: WorkspaceRecord,
  key: KeyRecord,
  led: Postings,
});
export const WorkspaceCreatedLine = z.object({
  t: z.literal("workspace.created"),
  ...common,
  workspace: WorkspaceRecord,
  /** Its first member. */
  userId: RecordedUserId,
  idem: IdempotentAnswer.exactOptional(),
});
export const UserCreatedLine = z.object({
  t: z.literal("user.created"),
  ...common,
  user: UserRecord,
  /** Absent for a user who is not in a workspace yet. */
  workspaceId: z.string().exactOptional(),
  idem: IdempotentAnswer.exactOptional(),
});
/** A newer token has different claims about its user. */
export const UserChangedLine = z.object({
  t: z.literal("user.changed"),
  ...common,
  userId: RecordedUserId,
  metadata: z.record(z.string(), z.unknown()),
  /** When the token was issued. */
  metadataAt: z.string(),
});
/** A user of an identity provider joined the existing workspace of their organisation. */
export const MemberAddedLine = z.object({
  t: z.literal("member.added"),
  ...common,
  userId: RecordedUserId,
  workspaceId: RecordedWorkspaceId,
});
export const KeyCreatedLine = z.object({
  t: z.literal("key.created"),
  ...common,
  key: KeyRecord,
  /** Keys that this one replaces (`reset-owner-key`); revoked in the same line. */
  replaces: z.array(z.string()).exactOptional(),
  idem: IdempotentAnswer.exactOptional(),
});
export const KeyRenamedLine = z.object({
  t: z.literal("key.renamed"),
  ...common,
  keyId: z.string(),
  label: z.string(),
});
export const KeyRevokedLine = z.object({ t: z.literal("key.revoked"), ...common, keyId: z.string(), by: z.string() });

export const IdentityLine = z.discriminatedUnion("t", [
  OwnerCreatedLine,
  WorkspaceCreatedLine,
  UserCreatedLine,
  UserChangedLine,
  MemberAddedLine,
  KeyCreatedLine,
  KeyRenamedLine,
  KeyRevokedLine,
]);
export type IdentityLine = z.infer<typeof IdentityLine>;
