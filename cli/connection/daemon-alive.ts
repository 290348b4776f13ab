import type { LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { findProcessIdentity } from "../../shared/process-identity.ts";

/**
 * Whether the very process that wrote the file lives: not stopped, and its pid not given to another since. Only then is
 * the address in the file its own; after a crash anybody may listen there, and what it answers proves nothing.
 */
export function isDaemonAlive(file: LocalDaemonFile): boolean {
  if (file.stoppedAt !== undefined || file.process === undefined) return false;
  const now = findProcessIdentity(file.pid);
  return now !== undefined && now.start === file.process.start && now.boot === file.process.boot;
}
