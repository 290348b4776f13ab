import type { LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { findProcessIdentity } from "../../shared/process-identity.ts";

/**
 * Whether the process that wrote the file is alive: not stopped, and its pid not reused since. Only then does the
 * address in the file belong to it; after a crash any program may listen there, and its answers prove nothing.
 */
export function isDaemonAlive(file: LocalDaemonFile): boolean {
  if (file.stoppedAt !== undefined || file.process === undefined) return false;
  const now = findProcessIdentity(file.pid);
  return now !== undefined && now.start === file.process.start && now.boot === file.process.boot;
}
