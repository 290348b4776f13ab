import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { ScrubFile } from "../storage/journal/scrub/scrub-document.ts";
import type { Scrubbing } from "../storage/journal/scrub/scrub.ts";

/** With a rate of 0 the scrub reads nothing, but still reports known damage. */
export function startScrub(
  { scrubBytesPerSecond, dataDir }: DaemonConfig,
  { store, document, clock, logger }: { store: DaemonStore; document: ScrubFile; clock: Clock; logger: Logger },
): Pick<Scrubbing, "damage"> {
  if (scrubBytesPerSecond === 0 || store.startScrub === undefined) return { damage: () => document.data.damage };
  return store.startScrub({
    document,
    bytesPerSecond: scrubBytesPerSecond,
    clock,
    onDamage: (damage) => logger.error({ dataDir, ...damage }, "stored data is damaged; restore it from a backup"),
    onMended: (damage) => logger.warn({ dataDir, ...damage }, "an index was damaged and has been rebuilt"),
    onProblem: (error) => logger.warn({ err: error }, "the background check for damage failed; it is retried"),
  });
}
