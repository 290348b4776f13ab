import type { AdminSettings, UpdateAdminSettingsRequest } from "../../shared/contract/admin.ts";

/** Settings that the operator changes while the daemon runs. */
export interface SettingsStore {
  /** As they apply now: what flags and environment say wins over what was stored. */
  get(): AdminSettings;
  /** Resolves when the change is durable, with the settings after it. */
  update(change: UpdateAdminSettingsRequest): Promise<AdminSettings>;
}
