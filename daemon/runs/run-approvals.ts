import type { RunId } from "../base/ids.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import type { Logger } from "../base/logger.ts";
import { ApiError } from "../../shared/errors.ts";
import type { RunOrder } from "../cluster/cluster.ts";
import { checkApprover } from "../approvals/check-approver.ts";
import { digestOfInput } from "../approvals/needed-approval.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../http/callers/caller.ts";
import { statusOf } from "../identity/key-status.ts";
import { type ApprovalDecision, type RunApproval, waitsForApproval } from "../ledger/records/approval-records.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { isTerminal, type RunRecord } from "../ledger/records/run-record.ts";
import {
  type AdmissionParts,
  accountsFor,
  checkAvailable,
  checkConnected,
  type EntryLookup,
} from "./admission/admission.ts";
import type { Decided, LiveRun } from "./work/live-run.ts";
import type { RunDriver } from "./work/run-driver.ts";
import { IllegalRunEvent } from "./lifecycle/run-lifecycle.ts";
import type { RunReader } from "./answers/run-reader.ts";
import type { RunsElsewhere } from "./work/runs-elsewhere.ts";

/** What a run calls, or may go on to. */
type Member = Pick<RunRecord, "provider" | "endpoint" | "manifestHash" | "price">;

/** A run that needs, or needed, a person's approval. */
export type ApprovalRun = RunRecord & { readonly approval: RunApproval };

export interface RunApprovalsParts {
  readonly catalog: EntryLookup & { find(provider: string, path: string): CatalogEntry | undefined };
  readonly store: Pick<IdentityStore, "findKey" | "listMakers">;
  readonly toolCheck?: NonNullable<AdmissionParts["toolCheck"]>;
  readonly accounts?: NonNullable<AdmissionParts["accounts"]>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly driver: RunDriver;
  readonly reader: RunReader;
  /** Runs that other daemons drive; absent: this one is alone. */
  readonly elsewhere?: Pick<RunsElsewhere, "find" | "listWaiting">;
}

/**
 * Runs that wait for a person, and their decisions. A decision acts once: of two at the same time, the second is told what
 * the first one said. docs/contract.md, "Waiting for approval".
 */
export class RunApprovals {
  readonly #parts: RunApprovalsParts;

  constructor(parts: RunApprovalsParts) {
    this.#parts = parts;
  }

  /** Those that wait, newest first, as far as the caller may see them. `after`: `next` of the page before. */
  list(
    caller: WorkspaceCaller,
    { limit, after }: { readonly limit: number; readonly after?: string },
  ): { readonly items: readonly ApprovalRun[]; readonly next?: string } {
    const own = onlyKeyOf(caller);
    const { driver, elsewhere } = this.#parts;
    const here = driver.listWaiting(caller.workspaceId).map((live) => live.current());
    const there = elsewhere?.listWaiting(caller.workspaceId).map((live) => live.current()) ?? [];
    const waiting =
      there.length === 0 ? here : [...here, ...there].sort((one, other) => (one.runId < other.runId ? 1 : -1));
    const rest = waiting
      .filter(hasApproval)
      .filter((run) => (own === undefined || run.keyId === own.keyId) && (after === undefined || run.runId < after));
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    return rest.length > limit && last !== undefined ? { items, next: last.runId } : { items };
  }

  /** Throws notFound for a run that needs no approval, too. */
  async get(caller: WorkspaceCaller, runId: RunId): Promise<ApprovalRun> {
    const live = this.#find(runId);
    const found = await this.#parts.reader.get(caller, runId);
    const run = live?.current() ?? found;
    if (!hasApproval(run)) throw new ApiError("notFound", `Run ${runId} needs no approval`);
    return run;
  }

  /**
   * Resolves when the approval is durable. What the run depends on is checked again: 403 for who may not approve, 409 when
   * the run does not wait any more, or what was asked for is no longer what would run, 503 when the provider cannot be called.
   */
  async approve(caller: WorkspaceCaller, runId: RunId): Promise<ApprovalRun> {
    const run = await this.get(caller, runId);
    const { decision } = run.approval;
    // Its first answer was lost.
    if (decision?.kind === "approved" && decision.by === caller.actor) return run;
    const asker = run.keyId === undefined ? undefined : await this.#parts.store.findKey(run.keyId);
    const approverMakers = caller.key === undefined ? [] : await this.#parts.store.listMakers(caller.key.keyId);
    checkApprover({ approver: caller, approverMakers, asker, run });
    if (!waitsForApproval(run)) throw notWaiting(run);
    this.#checkAsker(run, asker);
    const approved = await this.#checkEndpoints(run);
    const keys = [...keyIdOf(caller), ...(run.keyId === undefined ? [] : [run.keyId])];
    const accounts = accountsFor(this.#parts.accounts, run.workspaceId, approved);
    const yes = {
      ...this.#decision(caller, "approved"),
      ...(accounts !== undefined && { accounts: { ...accounts } }),
    };
    return await this.#decide(run, { type: "approved", decision: yes, keys }, approved);
  }

  /** Resolves when the denial is durable, and the hold released. Throws conflict when the run does not wait any more. */
  async deny(caller: WorkspaceCaller, runId: RunId, reason: string | undefined): Promise<ApprovalRun> {
    const run = await this.get(caller, runId);
    const { decision } = run.approval;
    if (decision?.kind === "denied" && decision.by === caller.actor) return run;
    if (!waitsForApproval(run)) throw notWaiting(run);
    const denial = { ...this.#decision(caller, "denied"), ...(reason !== undefined && { reason }) };
    return await this.#decide(run, { type: "denied", decision: denial, keys: keyIdOf(caller) });
  }

  /**
   * What was decided at another daemon, of a run that this one drives. False when it does not wait for a decision here; else
   * throws as `approve` and `deny` do.
   */
  async carryOut(runId: RunId, order: Extract<RunOrder, { kind: "decide" }>): Promise<boolean> {
    const { type, at, decision, keys } = order;
    const live = this.#parts.driver.find(runId);
    const run = live?.current();
    if (live === undefined || run === undefined || !hasApproval(run) || !waitsForApproval(run)) return false;
    // The files of this machine decide, as it is the one that calls.
    const approved = type === "approved" ? await this.#checkEndpoints(run) : undefined;
    await live.decide({ type, at, decision, keys }, approved);
    return true;
  }

  #decision({ actor, key }: WorkspaceCaller, kind: ApprovalDecision["kind"]): ApprovalDecision {
    const at = isoNow(this.#parts.clock);
    return { kind, at, by: actor, ...(key !== undefined && { keyLabel: key.label }) };
  }

  async #decide(run: ApprovalRun, said: Omit<Decided, "at">, approved?: readonly CatalogEntry[]): Promise<ApprovalRun> {
    const { type, decision } = said;
    const { runId, workspaceId, heldMicroDollars, caller } = run;
    const live = this.#live(run);
    try {
      const decided = await live.decide({ ...said, at: decision.at }, approved);
      this.#parts.logger.info({ runId, workspaceId, heldMicroDollars, caller, ...decision }, `a run was ${type}`);
      return hasApproval(decided) ? decided : run;
    } catch (error) {
      // It ended after it was looked at; the approver's own key is answered as everywhere.
      if (error instanceof GuardFailed && error.guard.kind === "keyActive" && error.guard.keyId === run.keyId) {
        throw changed(runId, `the key "${run.keyLabel ?? run.keyId}" that asked for it is REVOKED`);
      }
      if (!(error instanceof IllegalRunEvent)) throw error;
      throw notWaiting(hasApproval(error.run) ? error.run : run);
    }
  }

  #live(run: ApprovalRun): LiveRun {
    const live = this.#find(run.runId);
    if (live === undefined) throw notWaiting(run);
    return live;
  }

  #find(runId: RunId): LiveRun | undefined {
    return this.#parts.driver.find(runId) ?? this.#parts.elsewhere?.find(runId);
  }

  /** Only the key that asked may get what it asked for. */
  #checkAsker({ runId, keyId, keyLabel }: ApprovalRun, asker: KeyRecord | undefined): void {
    if (keyId === undefined) return;
    const status = asker === undefined ? "REVOKED" : statusOf(asker, this.#parts.clock.now());
    if (status !== "ACTIVE")
      throw changed(runId, `the key "${asker?.label ?? keyLabel}" that asked for it is ${status}`);
  }

  /** What would run must be what was asked for: the same versions of files, prices and input, and callable now. */
  async #checkEndpoints(run: ApprovalRun): Promise<readonly CatalogEntry[]> {
    const { catalog, toolCheck, accounts } = this.#parts;
    const [entry, ...others] = [run, ...(run.route?.next ?? [])].map((member) => this.#unchanged(run.runId, member));
    if (entry === undefined) throw new Error(`run ${run.runId} has no endpoint`);
    if (digestOfInput(run.input) !== run.approval.inputDigest) throw changed(run.runId, "its input is another one");
    if (catalog.availability(entry.provider.provider).available) await toolCheck?.before(entry);
    checkAvailable(catalog, entry);
    checkConnected(accounts, run.workspaceId, entry);
    return [entry, ...others];
  }

  #unchanged(runId: RunId, { provider, endpoint, manifestHash, price }: Member): CatalogEntry {
    const name = `${provider}${endpoint}`;
    const entry = this.#parts.catalog.find(provider, endpoint);
    if (entry === undefined) throw changed(runId, `${name} is no longer in the catalog`);
    if (entry.provider.manifestHash !== manifestHash) {
      throw changed(runId, `the provider's file of ${name} has changed since then`);
    }
    if (canonicalJson(entry.price) !== canonicalJson(price)) {
      throw changed(runId, `the price of ${name} has changed since then`);
    }
    return entry;
  }
}

function keyIdOf({ key }: WorkspaceCaller): string[] {
  return key === undefined ? [] : [key.keyId];
}

function hasApproval(run: RunRecord): run is ApprovalRun {
  return run.approval !== undefined;
}

function changed(runId: RunId, why: string): ApiError {
  return new ApiError(
    "conflict",
    `Run ${runId} cannot be approved: ${why}. Nothing was run. Deny it, and have it asked for again`,
    { extra: { next: `mkt approvals deny ${runId}` } },
  );
}

/** What became of it, for somebody who decided too late. */
function notWaiting(run: ApprovalRun): ApiError {
  return new ApiError("conflict", `Run ${run.runId} does not wait for approval: ${outcomeWords(run)}`);
}

function outcomeWords({ status, approval: { decision, expiresAt } }: ApprovalRun): string {
  if (decision === undefined)
    return isTerminal({ status }) || status === "STOPPING" ? `it is ${status}` : `it expired at ${expiresAt}`;
  const by = decision.keyLabel === undefined ? decision.by : `the key "${decision.keyLabel}"`;
  return decision.kind === "expired" ? `it expired at ${decision.at}` : `${by} ${decision.kind} it at ${decision.at}`;
}
