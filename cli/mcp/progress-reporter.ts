import type { ProgressToken } from "@modelcontextprotocol/sdk/types.js";
import type { CallExtra } from "./call-extra.ts";

/**
 * Tells the caller of progress: the seconds since the call, which only ever grow, and the words. No total is named, since
 * nobody knows how long a provider takes.
 */
export function progressReporter(extra: CallExtra, progressToken: ProgressToken): (message: string) => void {
  const startedAt = performance.now();
  let last = -1;
  return (message) => {
    const progress = Math.max(last + 0.001, Math.round(performance.now() - startedAt) / 1000);
    last = progress;
    const params = { progressToken, progress, message };
    // Whoever has gone cannot be told.
    extra.sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
}
