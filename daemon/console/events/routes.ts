import { operations } from "../../../shared/contract/index.ts";
import { toMoney } from "../../../shared/micro-dollars.ts";
import type { Clock } from "../../base/clock.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import { reply, type Route, route } from "../../http/routes/route.ts";
import type { Sealer } from "../../http/cursors/sealer.ts";
import { TextStream } from "../../http/answers/text-stream.ts";
import { statusOf } from "../../identity/key-status.ts";
import type { AccountStore } from "../../ledger/stores/account-store.ts";
import type { IdentityStore } from "../../ledger/stores/identity-store.ts";
import type { EventHub } from "./event-hub.ts";
import { eventText } from "./event-text.ts";

export interface EventRouteParts {
  readonly hub: EventHub;
  readonly sealer: Sealer;
  readonly store: Pick<AccountStore, "readMoney"> & Pick<IdentityStore, "findKey">;
  readonly clock: Clock;
}

/** What happens, as it happens. docs/contract.md, "Events as they happen". */
export function eventRoutes({ hub, sealer, store, clock }: EventRouteParts): Route[] {
  return [
    route(operations.followEvents, ({ caller, query, headers, signal }) => {
      const after = headers["last-event-id"] ?? query.after;
      // An id that cannot be read is one of another service, or of before its key was replaced: events may have been missed.
      const stream = hub.open(caller, after === undefined ? undefined : positionOf(after, sealer));
      const pieces = eventText({
        stream,
        seal: (position) => sealer.seal(`event ${position}`),
        async readWallet() {
          const { balance, held } = await store.readMoney({ workspaceId: caller.workspaceId });
          return { balance: toMoney(balance), held: toMoney(held) };
        },
        isActive: async () => await isActive({ store, clock }, caller),
        gone: signal,
      });
      // For proxies that keep answers back until they are whole.
      return reply(200, new TextStream("text/event-stream", pieces, stream.cut), { "x-accel-buffering": "no" });
    }),
  ];
}

/** A position that the service never gave is none that it knows. */
function positionOf(id: string, sealer: Sealer): number {
  const [, digits] = /^event (\d{1,16})$/.exec(sealer.open(id) ?? "") ?? [];
  return digits === undefined ? -1 : Number(digits);
}

/** As when the request was let in: the key, the session and the access token that it came with. */
async function isActive(
  { store, clock }: Pick<EventRouteParts, "store" | "clock">,
  { key, session, tokenEndsAt }: WorkspaceCaller,
): Promise<boolean> {
  const nowMs = clock.now();
  if (tokenEndsAt !== undefined && Date.parse(tokenEndsAt) <= nowMs) return false;
  for (const one of [key, session]) {
    if (one === undefined) continue;
    const found = await store.findKey(one.keyId);
    if (found === undefined || statusOf(found, nowMs) !== "ACTIVE") return false;
  }
  return true;
}
