import { type Clock, isoNow } from "../base/clock.ts";
import type { WorkspaceId } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { recordCondition } from "../ledger/transaction/record-condition.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { ConnectionRecord } from "./connection-record.ts";
import { connectCommand } from "./connection-standing.ts";

export interface ConnectionAlertsParts {
  readonly store: Committer & Pick<IdentityStore, "listWorkspaces">;
  readonly ids: Pick<WireIds, "workspace">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What happened to a connection; each is told once of it. */
export type ConnectionFailure = "revoked" | "interrupted" | "refused" | "notKept";

/**
 * Tells the webhooks of a workspace, and those of the operator's own, that an account cannot be used any more, once until it is
 * connected again. docs/webhooks.md, "Events".
 */
export class ConnectionAlerts {
  readonly #parts: ConnectionAlertsParts;
  #tail: Promise<void> = Promise.resolve();

  constructor(parts: ConnectionAlertsParts) {
    this.#parts = parts;
  }

  /** Never rejects: that nobody could be told changes nothing of the connection. */
  async failing(record: ConnectionRecord, failure: ConnectionFailure, why: string): Promise<void> {
    const { connectionId, provider, obtainedAt, lastFailure } = record;
    await this.#forEach(record, async (change, workspaceId) => {
      const next = connectCommand(provider);
      const data = { provider, workspaceId, state: failure, why, next, since: change.at };
      // With the token's own time: the same may happen again to a later one. The same token may be refused, work and be refused.
      const since = failure === "refused" && lastFailure !== undefined ? [lastFailure.at] : [];
      const key = JSON.stringify([connectionId, failure, obtainedAt, ...since]);
      await recordCondition(this.#parts.store, {
        ...change,
        holds: true,
        event: { type: "connection.failing", key, data },
      });
    });
  }

  /** It can be used again, or was removed. Never rejects. */
  async over(record: Pick<ConnectionRecord, "workspaceId" | "provider">): Promise<void> {
    await this.#forEach(record, async (change) => {
      await recordCondition(this.#parts.store, { ...change, holds: false });
    });
  }

  /** Resolves when everything is told. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  /** One after the other, so that an end does not overtake its beginning. */
  async #forEach(
    { workspaceId, provider }: Pick<ConnectionRecord, "workspaceId" | "provider">,
    tell: (
      change: { readonly workspaceId: WorkspaceId; readonly condition: string; readonly at: string },
      wireId: string,
    ) => Promise<void>,
  ): Promise<void> {
    const { store, ids, clock, logger } = this.#parts;
    this.#tail = this.#tail.then(async () => {
      try {
        const at = isoNow(clock);
        const wireId = await ids.workspace(workspaceId as WorkspaceId);
        const condition = `connection.failing ${provider}`;
        await tell({ workspaceId: workspaceId as WorkspaceId, condition, at }, wireId);
        const [own] = await store.listWorkspaces();
        if (own === undefined || own.workspaceId === workspaceId) return;
        const ofAnother = `${condition} ${workspaceId}`;
        await tell({ workspaceId: own.workspaceId as WorkspaceId, condition: ofAnother, at }, wireId);
      } catch (error) {
        logger.warn({ err: error, provider }, "what became of a connection was not told");
      }
    });
    await this.#tail;
  }
}
