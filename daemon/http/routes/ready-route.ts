import { operations } from "../../../shared/contract/index.ts";
import { reply, type Route, route } from "./route.ts";

export interface ReadyRouteParts {
  readonly draining: () => boolean;
  /** Since when the storage does not answer, ISO 8601; undefined while it does. */
  readonly awaySince: () => string | undefined;
}

/** For load balancers: `/health` says that the process lives, this that requests should come here. */
export function readyRoute({ draining, awaySince }: ReadyRouteParts): Route {
  return route(operations.getReady, async () => {
    if (draining()) return reply(503, { ready: false, reason: "draining" });
    const since = awaySince();
    if (since !== undefined) return reply(503, { ready: false, reason: "storage away", since });
    return reply(200, { ready: true });
  });
}
