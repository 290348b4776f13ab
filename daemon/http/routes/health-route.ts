import { operations } from "../../../shared/contract/index.ts";
import { reply, type Route, route } from "./route.ts";

export interface HealthRouteParts {
  readonly version: string;
  readonly uptimeMs: () => number;
  readonly draining: () => boolean;
  /** False while the disk is full. */
  readonly hasRoom: () => boolean;
  /** Number of places on the disk that are known to be damaged. */
  readonly damagedPlaces: () => number;
  /** The version installed on the disk, if it is another build than the running one. */
  readonly replacedBy: () => Promise<string | undefined>;
}

/** Health of the service. A daemon whose storage failed ends, so one that answers can read its storage. */
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
