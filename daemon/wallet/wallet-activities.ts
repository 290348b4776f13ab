import type { RunId, WorkspaceId } from "../base/ids.ts";
import { ApiError } from "../../shared/errors.ts";
import { add, type MicroDollars, negate } from "../../shared/micro-dollars.ts";
import { balanceAccount, heldAccount, movedOn } from "../ledger/money/postings.ts";
import { mayReach, onlyKeyOf, type Reader } from "../http/callers/caller.ts";
import type { AccountStore, DamagedMovement, Movement } from "../ledger/stores/account-store.ts";

/** One movement of a wallet. The sum of a workspace's activities is its balance. */
export interface WalletActivity {
  readonly activityId: string;
  readonly type: "TOPUP" | "ADJUSTMENT" | "RUN_HOLD" | "RUN_RELEASE" | "RUN_CHARGE" | "RESOURCE_CHARGE";
  /** Positive if it increases the balance. */
  readonly amount: MicroDollars;
  readonly runId?: RunId;
  readonly resourceId?: string;
  readonly reason?: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface ActivityPage {
  readonly items: readonly WalletActivity[];
  /** Ids of the activities of this page that are damaged on the disk. */
  readonly damaged: readonly string[];
  /** The last id of this page, if another page follows. */
  readonly next?: string;
}

/**
 * Newest first. `after`: only activities older than the one with this id; throws invalidInput for an invalid id. An id
 * is the number of the line in the journal with the index of the movement in the line; neither ever changes.
 */
export async function listActivities(
  store: AccountStore,
  caller: Reader,
  { limit, after }: { readonly limit: number; readonly after?: string },
): Promise<ActivityPage> {
  const { workspaceId } = caller;
  const last = after === undefined ? undefined : placeOf(after);
  const older: WalletActivity[] = [];
  const damaged: number[] = [];
  // The line that was shown last may have another movement.
  let before = last === undefined ? undefined : last.seq + 1;
  let hasMore = true;
  while (hasMore && older.length <= limit) {
    const { items, next } = await store.listMovements(workspaceId, {
      // One more than asked for: the first line may have been shown already.
      limit: limit + 1,
      ...(before !== undefined && { before }),
    });
    // Nobody knows who made a damaged line, so it is reported to every caller of the workspace.
    damaged.push(...items.filter((item) => "damaged" in item).map(({ seq }) => seq));
    const ofCaller = items.filter((item) => isReadable(item)).filter(({ line }) => mayRead(caller, line));
    const activities = ofCaller.flatMap((movement) => activitiesOf(movement, workspaceId));
    older.push(...activities.filter(({ activityId }) => last === undefined || isOlder(placeOf(activityId), last)));
    before = next;
    hasMore = next !== undefined;
  }
  const page = older.slice(0, limit);
  const end = page.at(-1);
  hasMore ||= older.length > limit;
  const next = hasMore ? end?.activityId : undefined;
  // Lines after the end of this page belong to the next one.
  const oldest = next === undefined ? 0 : placeOf(next).seq;
  return {
    items: page,
    damaged: damaged.filter((seq) => seq > oldest && (last === undefined || seq < last.seq)).map(String),
    ...(next !== undefined && { next }),
  };
}

function isReadable(item: Movement | DamagedMovement): item is Movement {
  return !("damaged" in item);
}

/** With `ownOnly`, a caller sees the charges of its own runs, and the rent of the resources that they made. */
function mayRead(caller: Reader, line: Movement["line"]): boolean {
  const own = onlyKeyOf(caller);
  if (own === undefined) return true;
  if (line.t === "resource.changed") return mayReach(caller, line.resource);
  return (line.t === "run.accepted" || line.t === "run.done") && line.rec.keyId === own.keyId;
}

type Facts = Omit<WalletActivity, "activityId" | "createdAt">;

/** Newest first: for a run that ends, the charge comes before the release of its hold. */
function activitiesOf({ seq, line }: Movement, workspaceId: WorkspaceId): WalletActivity[] {
  const moved = "led" in line ? line.led : [];
  const balance = movedOn(balanceAccount(workspaceId), moved);
  const held = movedOn(heldAccount(workspaceId), moved);
  return factsOf(line, { balance, held })
    .map((facts, part) => ({ activityId: `${seq}-${part + 1}`, ...facts, createdAt: line.at }))
    .filter(({ amount }) => amount !== 0)
    .reverse();
}

function factsOf(line: Movement["line"], { balance, held }: { balance: MicroDollars; held: MicroDollars }): Facts[] {
  switch (line.t) {
    case "owner.created":
      return [{ type: "TOPUP", amount: balance, reason: "Starting credit" }];
    case "wallet.credited":
      return [{ type: "TOPUP", amount: balance, reason: line.reason }];
    case "wallet.debited":
      return [{ type: "ADJUSTMENT", amount: balance, reason: line.reason }];
    case "run.accepted":
      return [{ type: "RUN_HOLD", amount: balance, runId: line.run }];
    case "run.done":
      return [
        { type: "RUN_RELEASE", amount: negate(held), runId: line.run },
        { type: "RUN_CHARGE", amount: add(balance, held), runId: line.run },
      ];
    case "resource.changed": {
      const { resourceId, runId } = line.resource;
      return [{ type: "RESOURCE_CHARGE", amount: balance, resourceId, runId }];
    }
    default:
      return [];
  }
}

interface ActivityPlace {
  readonly seq: number;
  readonly part: number;
}

function placeOf(activityId: string): ActivityPlace {
  const [, seq, part] = /^(\d{1,15})-(\d)$/.exec(activityId) ?? [];
  if (seq === undefined || part === undefined)
    throw new ApiError("invalidInput", `cursor: "${activityId}" is not a cursor`);
  return { seq: Number(seq), part: Number(part) };
}

function isOlder(one: ActivityPlace, other: ActivityPlace): boolean {
  return one.seq === other.seq ? one.part < other.part : one.seq < other.seq;
}
