import { z } from "zod";
import { type AdminSettings, HealthSettings, type UpdateAdminSettingsRequest } from "../../shared/contract/admin.ts";
import { healthSettings } from "../discovery/health/health-settings.ts";
import { FLOOR_SCORE } from "../discovery/ranking/weights/confidence-weights.ts";
import type { SettingsStore } from "./settings-store.ts";

/** Applies unless something else was set; health has its own defaults. docs/contract.md, "Mirroring" and "Ranking". */
export const DEFAULT_SETTINGS = { mirrorProviderStatus: false, discoverFloor: FLOOR_SCORE, discoverPool: 200 };

/** A former setting: how often an endpoint in outage was shown. Such endpoints are no longer shown. */
const FORMER = "probeMinutes";

/** Folders of the first version may have it. */
function withoutFormer(health: unknown): unknown {
  if (typeof health !== "object" || health === null) return health;
  return Object.fromEntries(Object.entries(health).filter(([name]) => name !== FORMER));
}

/** `settings.json`: what the operator changed while the daemon ran. */
export const SettingsDocument = z.strictObject({
  mirrorProviderStatus: z.boolean().optional(),
  discoverFloor: z.number().min(0).max(2).optional(),
  discoverPool: z.int().min(1).max(10_000).optional(),
  health: z.preprocess(withoutFormer, z.strictObject(HealthSettings.partial().shape)).optional(),
});
export type SettingsDocument = z.infer<typeof SettingsDocument>;

/** The part of a document of the document store that settings need. */
export interface SettingsDocumentFile {
  readonly data: SettingsDocument;
  update(change: (data: SettingsDocument) => void): Promise<void>;
}

/** `fixed` comes from flags and environment: it wins over the document. */
export function createSettings(document: SettingsDocumentFile, fixed: UpdateAdminSettingsRequest): SettingsStore {
  const current = (): AdminSettings => {
    const stored = document.data;
    return {
      mirrorProviderStatus:
        fixed.mirrorProviderStatus ?? stored.mirrorProviderStatus ?? DEFAULT_SETTINGS.mirrorProviderStatus,
      discoverFloor: fixed.discoverFloor ?? stored.discoverFloor ?? DEFAULT_SETTINGS.discoverFloor,
      discoverPool: fixed.discoverPool ?? stored.discoverPool ?? DEFAULT_SETTINGS.discoverPool,
      health: healthSettings(stored.health, fixed.health),
    };
  };
  return {
    get: current,
    async update({ health, ...change }) {
      await document.update((draft) => {
        Object.assign(draft, change);
        if (health !== undefined) draft.health = { ...draft.health, ...health };
      });
      return current();
    },
  };
}
