import { operations } from "../../shared/contract/index.ts";
import { reply, type Route, route } from "./route.ts";

export interface HealthRouteParts {
  readonly version: string;
  readonly uptimeMs: () => number;
  readonly draining: () => boolean;
  /** False while the disk is full. */
  readonly hasRoom: () => boolean;
  /** How many places of what lies on the disk are known to be damaged. */
  readonly damagedPlaces: () => number;
  /** The version on the disk where it is another build than the one that runs. */
  readonly replacedBy: () => Promise<string | undefined>;
}

/** Is the service well. A daemon whose storage failed ends, so that one that answers has storage to read from. */
export function healthRoute({
  version,
  uptimeMs,
  draining,
  hasRoom,
  damagedPlaces,
  replacedBy,
}: HealthRouteParts): Route {
  return route(operations.getHealth, async () => {
    const [other, damaged] = [await replacedBy(), damagedPlaces()];
    return reply(200, {
      status: serviceStatus(draining()),
      version,
      uptimeMs: Math.max(0, uptimeMs()),
      storage: hasRoom() ? "ok" : "read-only",
      ...(damaged > 0 && { damagedPlaces: damaged }),
      ...(other !== undefined && { replacedBy: other }),
    });
  });
}

export function serviceStatus(isDraining: boolean): string {
  return isDraining ? "draining" : "ok";
}
