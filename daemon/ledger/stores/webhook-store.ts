import type { WorkspaceId } from "../../base/ids.ts";
import type { DeliveryRecord, WebhookRecord } from "../records/webhook-records.ts";

/** Names one delivery: a message and its receiver. */
export interface DeliveryRef {
  readonly webhookId: string;
  readonly id: string;
}

/** What webhooks need to read; only what is durable. Writes go through `commit(transaction)`. */
export interface WebhookStore {
  /** In the order of creation. */
  listWebhooks(workspaceId: WorkspaceId): Promise<readonly WebhookRecord[]>;
  /** Of any workspace. */
  findWebhook(webhookId: string): Promise<WebhookRecord | undefined>;
  /** Workspaces that have webhooks. */
  listWebhookWorkspaces(): Promise<readonly WorkspaceId[]>;
  /** Of one webhook: those that wait, and the newest that have ended; oldest first. */
  listDeliveries(webhookId: string): Promise<readonly DeliveryRecord[]>;
  findDelivery(delivery: DeliveryRef): Promise<DeliveryRecord | undefined>;
  /** All that wait, oldest first for each webhook. */
  listWaitingDeliveries(): Promise<readonly DeliveryRef[]>;
  /** Calls `listener` with deliveries that have just begun to wait and are durable. */
  watchDeliveries(listener: (made: readonly DeliveryRef[]) => void): void;
  /** What lasts and was told, with since when. */
  listConditions(): Promise<
    readonly { readonly workspaceId: WorkspaceId; readonly condition: string; readonly since: string }[]
  >;
}
