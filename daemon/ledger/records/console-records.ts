import { z } from "zod";
import { RecordedUserId, RecordedWorkspaceId } from "./recorded-ids.ts";

/** A ticket that opens the console once; the ticket itself is not kept. */
export const ConsoleTicketRecord = z.object({
  /** SHA-256 (hex). */
  hash: z.string(),
  workspaceId: RecordedWorkspaceId,
  userId: RecordedUserId,
  /** The actor who asked for it. */
  createdBy: z.string(),
  /** The key that asked for it; absent for an access token. */
  keyId: z.string().exactOptional(),
  /** When the access token ends that asked for it. */
  tokenEndsAt: z.string().exactOptional(),
  createdAt: z.string(),
  expiresAt: z.string(),
});
export type ConsoleTicketRecord = z.infer<typeof ConsoleTicketRecord>;
