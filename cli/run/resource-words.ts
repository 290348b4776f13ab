import type { RunResourceEffect } from "../../shared/contract/runs.ts";

/** What a run did to resources: `provisioned box1 (01M8…)`. Undefined where it did nothing to any. */
export function resourceEffectWords(effects: readonly RunResourceEffect[] | undefined): string | undefined {
  return effects?.map(({ action, resourceId, identifier }) => `${action} ${identifier} (${resourceId})`).join("; ");
}
