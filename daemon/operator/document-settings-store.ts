import { z } from "zod";
import type { AdminSettings } from "../../shared/contract/admin.ts";
import type { Document } from "../storage/documents/documents.ts";
import type { SettingsStore } from "./settings-store.ts";

/** `<data>/docs/settings.json`: what the operator changed while the daemon ran. */
export const SettingsDocument = z.strictObject({
  mirrorProviderStatus: z.boolean().optional(),
  discoverFloor: z.number().min(0).max(2).optional(),
  discoverPool: z.int().min(1).optional(),
});
export type SettingsDocument = z.infer<typeof SettingsDocument>;

/** `fixed` is what flags and environment say: it wins. `defaults` stand in for what nobody said. */
export function createSettingsStore(
  document: Document<SettingsDocument>,
  { fixed, defaults }: { readonly fixed: Partial<AdminSettings>; readonly defaults: Required<AdminSettings> },
): SettingsStore {
  const current = (): AdminSettings => {
    const stored = document.data;
    return {
      mirrorProviderStatus: fixed.mirrorProviderStatus ?? stored.mirrorProviderStatus ?? defaults.mirrorProviderStatus,
      discoverFloor: fixed.discoverFloor ?? stored.discoverFloor ?? defaults.discoverFloor,
      discoverPool: fixed.discoverPool ?? stored.discoverPool ?? defaults.discoverPool,
    };
  };
  return {
    get: current,
    async update(change) {
      await document.update((draft) => Object.assign(draft, change));
      return current();
    },
  };
}
