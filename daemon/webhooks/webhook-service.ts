import type { CreateWebhookRequest, UpdateWebhookRequest } from "../../shared/contract/webhooks.ts";
import { TEST_EVENT } from "../../shared/contract/event-types.ts";
import { grants } from "../../shared/contract/scope-grants.ts";
import { ApiError } from "../../shared/errors.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../http/callers/caller.ts";
import { type KeepAnswer, keepNothing } from "../idempotency/keep-answer.ts";
import { askedHeading, commitAsked } from "../ledger/transaction/asked-change.ts";
import { messageId } from "../ledger/transaction/record-events.ts";
import type { Committer, Line } from "../ledger/transaction/transaction.ts";
import type { DeliveryRecord, WebhookRecord } from "../ledger/records/webhook-records.ts";
import type { WebhookStore } from "../ledger/stores/webhook-store.ts";
import type { DeliveryDriver } from "./delivery-driver.ts";
import type { SecretBox } from "./secret-box.ts";
import { makeSecret, sealAddress } from "./webhook-secrets.ts";

/** Limited, because every run that ends is held against all of them. */
const MAX_WEBHOOKS = 50;
const DEFAULT_OVERLAP_HOURS = 24;
const HOUR_MS = 3_600_000;
const DEFAULT_PAGE = 20;

/** A webhook with what may be shown of it. */
export interface WebhookView {
  readonly webhook: WebhookRecord;
  readonly waiting: number;
  readonly dead: number;
}

export interface WebhookWithSecret extends WebhookView {
  readonly secret: string;
}

/** Manages the webhooks of a workspace; `get` and whatever names one throws 404 for one of another workspace. */
export interface WebhookService {
  list(caller: WorkspaceCaller): Promise<readonly WebhookView[]>;
  /**
   * Throws 400 for an address that may not receive, 403 for a caller without a key or who may not read all runs, 409 beyond the
   * maximum.
   */
  create(
    caller: WorkspaceCaller,
    wanted: CreateWebhookRequest,
    keep?: KeepAnswer<WebhookView>,
  ): Promise<WebhookWithSecret>;
  get(caller: WorkspaceCaller, webhookId: string): Promise<WebhookView>;
  /**
   * Who enables it answers for it from then on, as its maker did: see `create`. One of before keys answered for webhooks belongs to
   * the key that changes it next.
   */
  change(caller: WorkspaceCaller, webhookId: string, change: UpdateWebhookRequest): Promise<WebhookView>;
  delete(caller: WorkspaceCaller, webhookId: string): Promise<void>;
  /**
   * `overlapHours`: how long the present secret goes on signing; 0 ends it, and the one before it, at once. 409 while the one before
   * still signs, because receivers may know no other one.
   */
  rotate(caller: WorkspaceCaller, webhookId: string, overlapHours?: number): Promise<WebhookWithSecret>;
  /** Sends a test message; resolves with its delivery after the attempt. 409 for a webhook that is disabled. */
  test(caller: WorkspaceCaller, webhookId: string): Promise<DeliveryRecord>;
  /** Newest first. `after`: `next` of the page before. */
  listDeliveries(
    caller: WorkspaceCaller,
    webhookId: string,
    filter: {
      readonly state?: DeliveryRecord["state"] | undefined;
      readonly limit?: number | undefined;
      readonly after?: string;
    },
  ): Promise<{ readonly items: readonly DeliveryRecord[]; readonly next?: string }>;
  /** Returns the ids that wait again. 404 for an id that is not listed, 409 for a webhook that is disabled. */
  resend(
    caller: WorkspaceCaller,
    webhookId: string,
    which: { readonly ids?: readonly string[] | undefined; readonly since?: string | undefined },
  ): Promise<readonly string[]>;
}

export interface WebhookServiceParts {
  readonly store: WebhookStore & Committer;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly driver: Pick<DeliveryDriver, "whenTried">;
  /** Throws 400; `mayBePrivate`: as the operator's setting allows. */
  readonly checkAddress: (address: string, mayBePrivate: boolean) => Promise<URL>;
  /** How long a test waits for its attempt, in milliseconds. */
  readonly testTimeoutMs: number;
}

export function createWebhookService(parts: WebhookServiceParts): WebhookService {
  return { ...webhookReads(parts), ...webhookChanges(parts), ...webhookSending(parts) };
}

function webhookReads({ store }: WebhookServiceParts): Pick<WebhookService, "list" | "get" | "listDeliveries"> {
  return {
    async list({ workspaceId }) {
      const all = await store.listWebhooks(workspaceId);
      return await Promise.all(all.map(async (webhook) => await viewOf(store, webhook)));
    },

    get: async (caller, webhookId) => await viewOf(store, await find(store, caller, webhookId)),

    async listDeliveries(caller, webhookId, { state, limit = DEFAULT_PAGE, after }) {
      await find(store, caller, webhookId);
      const all = (await store.listDeliveries(webhookId)).filter((one) => state === undefined || one.state === state);
      const newestFirst = all.toSorted((one, other) => compare(placeOf(other), placeOf(one)));
      const rest = after === undefined ? newestFirst : newestFirst.filter((one) => placeOf(one) < after);
      const items = rest.slice(0, limit);
      const last = items.at(-1);
      return rest.length > limit && last !== undefined ? { items, next: placeOf(last) } : { items };
    },
  };
}

function webhookChanges(parts: WebhookServiceParts): Pick<WebhookService, "create" | "change" | "delete" | "rotate"> {
  const { store, box, clock, newId, checkAddress } = parts;
  return {
    async create(caller, { url: address, events = ["*"], name, format = "standard" }, keep = keepNothing) {
      checkMayBeTold(caller);
      const answering = answersFor(caller);
      const url = await checkAddress(address, caller.operator);
      const [webhookId, at] = [newId(), isoNow(clock)];
      const { secret, record } = await makeSecret(box, webhookId, at);
      const webhook: WebhookRecord = {
        webhookId,
        workspaceId: caller.workspaceId,
        name: name ?? url.host,
        origin: url.origin,
        sealedUrl: await sealAddress(box, webhookId, url),
        events: [...new Set(events)],
        format,
        secrets: [record],
        ...(caller.operator && { mayBePrivate: true as const }),
        ...answering,
        createdAt: at,
        updatedAt: at,
      };
      const made = { webhook, waiting: 0, dead: 0 };
      await commit(store, caller, (webhooks) => {
        checkRoom(webhooks);
        return { t: "webhook.created", ...askedHeading(caller, at), webhook, ...keep(made) };
      });
      return { ...made, secret };
    },

    async change(caller, webhookId, { name, events, status }) {
      if (status === "ENABLED" || events !== undefined) checkMayBeTold(caller);
      const at = isoNow(clock);
      await commit(store, caller, (webhooks) => {
        const { disabled, ...webhook } = pick(webhooks, webhookId);
        const isEnabled = status === undefined ? disabled === undefined : status === "ENABLED";
        const changed: WebhookRecord = {
          ...webhook,
          ...((status === "ENABLED" && disabled !== undefined) ||
          (webhook.keyId === undefined && caller.key !== undefined)
            ? answersFor(caller)
            : {}),
          ...(name !== undefined && { name }),
          ...(events !== undefined && { events: [...new Set(events)] }),
          ...(!isEnabled && { disabled: disabled ?? { at, why: "ASKED" as const } }),
          updatedAt: at,
        };
        return { t: "webhook.changed", ...askedHeading(caller, at), webhook: changed };
      });
      return await viewOf(store, await find(store, caller, webhookId));
    },

    async delete(caller, webhookId) {
      await commit(store, caller, (webhooks) => {
        pick(webhooks, webhookId);
        return { t: "webhook.deleted", ...askedHeading(caller, isoNow(clock)), webhookId };
      });
    },

    async rotate(caller, webhookId, overlapHours = DEFAULT_OVERLAP_HOURS) {
      await find(store, caller, webhookId);
      const at = isoNow(clock);
      const { secret, record } = await makeSecret(box, webhookId, at);
      const expiresAt = new Date(clock.now() + overlapHours * HOUR_MS).toISOString();
      await commit(store, caller, (webhooks) => {
        const webhook = pick(webhooks, webhookId);
        const [present, former] = webhook.secrets;
        if (overlapHours > 0 && former?.expiresAt !== undefined && former.expiresAt > at) {
          throw stillSigns(webhookId, former.expiresAt);
        }
        const before = present === undefined || overlapHours === 0 ? [] : [{ ...present, expiresAt }];
        const changed = { ...webhook, secrets: [record, ...before], updatedAt: at };
        return { t: "webhook.changed", ...askedHeading(caller, at), webhook: changed };
      });
      return { ...(await viewOf(store, await find(store, caller, webhookId))), secret };
    },
  };
}

function webhookSending({
  store,
  clock,
  newId,
  driver,
  testTimeoutMs,
}: WebhookServiceParts): Pick<WebhookService, "test" | "resend"> {
  return {
    async test(caller, webhookId) {
      const [id, at] = [messageId(webhookId, TEST_EVENT, newId()), isoNow(clock)];
      const refused = new AbortController();
      const { signal, release } = linkSignals([refused.signal], testTimeoutMs);
      // From before the commit: the attempt begins with it.
      const tried = driver.whenTried({ webhookId, id }, signal);
      try {
        await commit(store, caller, (webhooks) => {
          checkEnabled(pick(webhooks, webhookId));
          const event = { type: TEST_EVENT, data: { webhookId }, to: [[webhookId, id] as [string, string]] };
          return { t: "webhook.event", v: 1, at, ws: caller.workspaceId, events: [event] };
        });
        await tried;
      } finally {
        refused.abort();
        release();
      }
      const delivery = await store.findDelivery({ webhookId, id });
      if (delivery === undefined) throw unknownWebhook(webhookId);
      return delivery;
    },

    async resend(caller, webhookId, { ids, since }) {
      await find(store, caller, webhookId);
      const listed = await store.listDeliveries(webhookId);
      const wanted = ids ?? listed.filter((one) => isDeadSince(one, since)).map(({ id }) => id);
      const ended = listed.filter(({ id, state }) => wanted.includes(id) && state !== "WAITING").map(({ id }) => id);
      const unknown = wanted.find((id) => !listed.some((one) => one.id === id));
      if (unknown !== undefined) {
        throw new ApiError("notFound", `Delivery ${unknown} is not among those of this webhook that are listed`);
      }
      if (ended.length === 0) return [];
      await commit(store, caller, (webhooks) => {
        checkEnabled(pick(webhooks, webhookId));
        return { t: "webhook.resent", ...askedHeading(caller, isoNow(clock)), webhookId, ids: ended };
      });
      return ended;
    },
  };
}

/** Commits a line that is computed from the webhooks at the moment of the commit. */
async function commit(
  store: Committer,
  caller: WorkspaceCaller,
  make: (webhooks: readonly WebhookRecord[]) => Line,
): Promise<void> {
  await commitAsked(store, caller, ({ webhooks }) => ({ line: make(webhooks) }));
}

/** Whose rights the webhook has: with its key it ends. A user of access tokens has none, and nobody would end it when they leave. */
function answersFor({ actor, key }: WorkspaceCaller): Pick<WebhookRecord, "createdBy" | "keyId"> {
  if (key !== undefined) return { createdBy: actor, keyId: key.keyId };
  throw new ApiError(
    "forbidden",
    "A webhook belongs to an API key, whose end ends it; with an access token it would outlive its user's access. Use a key: `mkt keys create` makes one",
    { extra: { next: "mkt keys create --label webhooks" } },
  );
}

function stillSigns(webhookId: string, until: string): ApiError {
  return new ApiError(
    "conflict",
    `The secret of webhook ${webhookId} was replaced already, and the one before signs until ${until}: receivers that know no other one would refuse every message. Rotate it after that, or with overlapHours 0, which ends both at once`,
    { extra: { next: `mkt webhooks rotate ${webhookId} --overlap-hours 0` } },
  );
}

/** A webhook is told of every run of the workspace: nobody learns by it what they may not read. */
function checkMayBeTold(caller: WorkspaceCaller): void {
  if (onlyKeyOf(caller) === undefined && grants(caller.scopes, "runs:read")) return;
  throw new ApiError(
    "forbidden",
    "A webhook is told of every run of the workspace, and this key may not read them all; use a key with runs:read that is not a member's",
    { errorCode: "INSUFFICIENT_SCOPE" },
  );
}

function checkRoom(webhooks: readonly WebhookRecord[]): void {
  if (webhooks.length < MAX_WEBHOOKS) return;
  throw new ApiError("conflict", `This workspace has ${MAX_WEBHOOKS} webhooks, which is the maximum; delete one first`);
}

function checkEnabled({ webhookId, disabled }: WebhookRecord): void {
  if (disabled === undefined) return;
  const next = `mkt webhooks enable ${webhookId}`;
  throw new ApiError("conflict", `Webhook ${webhookId} is disabled; enable it first`, { extra: { next } });
}

function pick(webhooks: readonly WebhookRecord[], webhookId: string): WebhookRecord {
  const found = webhooks.find((webhook) => webhook.webhookId === webhookId);
  if (found === undefined) throw unknownWebhook(webhookId);
  return found;
}

async function find(store: WebhookStore, { workspaceId }: WorkspaceCaller, webhookId: string): Promise<WebhookRecord> {
  return pick(await store.listWebhooks(workspaceId), webhookId);
}

function unknownWebhook(webhookId: string): ApiError {
  return new ApiError("notFound", `Webhook ${webhookId} not found; GET /v1/webhooks lists them`);
}

async function viewOf(store: WebhookStore, webhook: WebhookRecord): Promise<WebhookView> {
  const deliveries = await store.listDeliveries(webhook.webhookId);
  const count = (state: DeliveryRecord["state"]) => deliveries.filter((one) => one.state === state).length;
  return { webhook, waiting: count("WAITING"), dead: count("DEAD") };
}

function isDeadSince({ state, at }: DeliveryRecord, since: string | undefined): boolean {
  return state === "DEAD" && since !== undefined && Date.parse(at) >= Date.parse(since);
}

/** In the order of their events; no two are the same. */
function placeOf({ at, id }: DeliveryRecord): string {
  return `${at} ${id}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
