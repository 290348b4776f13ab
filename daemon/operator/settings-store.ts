import type { AdminSettings, UpdateAdminSettingsRequest } from "../../shared/contract/admin.ts";

/** Settings that the operator changes while the daemon runs. */
export interface SettingsStore {
  /** The current settings: flags and environment win over what was stored. */
  get(): AdminSettings;
  /** Resolves with the new settings when the change is durable. */
  update(change: UpdateAdminSettingsRequest): Promise<AdminSettings>;
}
