import { operations } from "../../shared/contract/index.ts";
import { reply, type Route, route } from "./route.ts";

export interface HealthRouteParts {
  readonly version: string;
  readonly uptimeMs: () => number;
  readonly draining: () => boolean;
  /** False while the disk is full. */
  readonly hasRoom: () => boolean;
}

/** Is the service well. A daemon whose storage failed ends, so that one that answers has storage to read from. */
export function healthRoute({ version, uptimeMs, draining, hasRoom }: HealthRouteParts): Route {
  return route(operations.getHealth, () =>
    reply(200, {
      status: serviceStatus(draining()),
      version,
      uptimeMs: Math.max(0, uptimeMs()),
      storage: hasRoom() ? "ok" : "read-only",
    }),
  );
}

export function serviceStatus(isDraining: boolean): string {
  return isDraining ? "draining" : "ok";
}
