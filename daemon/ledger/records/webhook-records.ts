import { z } from "zod";
import { RecordedWorkspaceId } from "./recorded-ids.ts";

const at = z.string();

/** A signing secret, sealed with the key of the configuration folder (docs/security.md, T18). */
export const WebhookSecretRecord = z.object({
  sealed: z.string(),
  createdAt: at,
  /** It signs beside the newer one until then. */
  expiresAt: at.exactOptional(),
});
export type WebhookSecretRecord = z.infer<typeof WebhookSecretRecord>;

/** Why a webhook is told of nothing; absent while it is enabled. */
export const WebhookDisabled = z.object({ at, why: z.enum(["ASKED", "GONE", "KEY_REVOKED", "KEY_EXPIRED"]) });
export type WebhookDisabled = z.infer<typeof WebhookDisabled>;

/** A receiver of events, owned by a workspace. docs/contract.md, "Webhooks". */
export const WebhookRecord = z.object({
  /** ULID. */
  webhookId: z.string(),
  workspaceId: RecordedWorkspaceId,
  name: z.string(),
  /** Scheme, host and port of its address: what may be shown and logged. */
  origin: z.string(),
  /** Its whole address, sealed: addresses of chat services contain a secret. */
  sealedUrl: z.string(),
  /** Types, groups or `*`. */
  events: z.array(z.string()),
  format: z.enum(["standard", "slack"]),
  /** The newest first; two while one replaces the other. */
  secrets: z.array(WebhookSecretRecord),
  /** An operator made it: its address may be a private one that the operator has opened. */
  mayBePrivate: z.literal(true).exactOptional(),
  disabled: WebhookDisabled.exactOptional(),
  createdBy: z.string(),
  /** The key that made or enabled it; when it is revoked or expires, the webhook is disabled. */
  keyId: z.string().exactOptional(),
  createdAt: at,
  updatedAt: at,
});
export type WebhookRecord = z.infer<typeof WebhookRecord>;

/** An event, in the line of its cause, with its deliveries. */
export const RecordedEvent = z.object({
  type: z.string(),
  /** What is told; absent for the end of a run, which is told from the run itself. */
  data: z.record(z.string(), z.unknown()).exactOptional(),
  /** The receiving webhooks, each with the id of its message, which every attempt has. */
  to: z.array(z.tuple([z.string(), z.string()])),
});
export type RecordedEvent = z.infer<typeof RecordedEvent>;

/** The member of a line that causes events. */
export const RecordedEvents = z.array(RecordedEvent).exactOptional();

/** How a delivery ended or goes on after an attempt. */
export const AttemptOutcome = z.object({
  webhook: z.string(),
  id: z.string(),
  at,
  ms: z.int(),
  /** HTTP status of the answer; absent when there was none. */
  status: z.int().exactOptional(),
  error: z.string().exactOptional(),
  /** When the next attempt is due; absent after the last one. */
  nextAt: at.exactOptional(),
  delivered: z.literal(true).exactOptional(),
});
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

/** One event on its way to one webhook. */
export interface DeliveryRecord {
  /** The `webhook-id` of the message. */
  readonly id: string;
  readonly webhookId: string;
  readonly workspaceId: string;
  readonly type: string;
  /** When the event happened. */
  readonly at: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly runId?: string;
  /** Attempts since the event or since it was sent again. */
  readonly attempts: number;
  readonly state: "WAITING" | "DELIVERED" | "DEAD";
  /** Of a waiting one; absent: at once. */
  readonly nextAt?: string;
  /** The newest attempt; of a dead delivery without one, why. */
  readonly last?: { readonly at: string; readonly ms?: number; readonly status?: number; readonly error?: string };
}
