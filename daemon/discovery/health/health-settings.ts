import type { HealthSettings, HealthSettingsChange } from "../../../shared/contract/admin.ts";

/** Applies unless the operator set something else. docs/contract.md, "Health". */
export const DEFAULT_HEALTH_SETTINGS: HealthSettings = {
  freshMinutes: 15,
  outageRuns: 5,
  healthyRuns: 3,
  longDays: 7,
  degradedRuns: 20,
  degradedShare: 0.1,
  timedRuns: 5,
  degradedFactor: 0.75,
};

/** The defaults with the changes applied in order; the last one wins. */
export function healthSettings(...changes: readonly (HealthSettingsChange | undefined)[]): HealthSettings {
  return Object.assign({}, DEFAULT_HEALTH_SETTINGS, ...changes.map(given));
}

function given(change: HealthSettingsChange | undefined): Partial<HealthSettings> {
  return Object.fromEntries(Object.entries(change ?? {}).filter(([, value]) => value !== undefined));
}
