import { readFileSync } from "node:fs";
import { ConfigRefused } from "./config-refused.ts";

/*
 * What a process may have open is shared out before anybody asks for it, so that callers cannot take what runs need:
 *
 *   RESERVED                    the journal, documents, logs, the program's own
 *   a part for callers          connections of the service's port; a quarter as many at the registry's port
 *   a part for atlas            its connections, which are calls of this very daemon
 *   a part for old segments     files that are kept open for reading
 *   the rest                    connections to providers
 */

/** An idle daemon has 25 open; the rest is for what is written meanwhile. */
const RESERVED = 64;
const CALLERS_PART = 0.4;
const ATLAS_PART = 1 / 8;
const SEGMENTS_PART = 1 / 8;
/** More than the agents of an office or the connections of a proxy, less than idle ones could do harm with. */
const MOST_CALLERS = 4_096;
const MOST_ATLAS = 256;
/** Two a segment: those of 1,600,000 runs. */
const MOST_SEGMENT_FILES = 512;
/** Where the system does not say: the least that is usual. */
const UNKNOWN_LIMIT = 1_024;

/** How many of each may be open at once. */
export interface DescriptorShares {
  /** Connections of the service's port. */
  readonly service: number;
  /** Connections of the registry's port. */
  readonly registry: number;
  readonly atlas: number;
  readonly segmentFiles: number;
}

/** Of so many descriptors. `maxConnections` is what the operator set for the service's port. Throws `ConfigRefused`. */
export function shareDescriptors(limit: number, maxConnections?: number): DescriptorShares {
  const free = Math.max(0, limit - RESERVED);
  const part = (share: number, most: number) => Math.min(most, Math.max(4, Math.floor(free * share)));
  const atlas = part(ATLAS_PART, MOST_ATLAS);
  const service = maxConnections ?? part(CALLERS_PART, MOST_CALLERS);
  const registry = Math.max(2, Math.floor(service / 4));
  if (maxConnections !== undefined && service + registry + 2 * atlas > free) {
    throw new ConfigRefused(
      `MKT_MAX_CONNECTIONS: ${service} connections, ${registry} more at the registry and ${limit - free + 2 * atlas} files of ` +
        `the daemon's own are more than the ${limit} that this process may have open. Set it lower, or raise the limit ` +
        "(ulimit -n, LimitNOFILE in a systemd unit)",
    );
  }
  return { service, registry, atlas, segmentFiles: part(SEGMENTS_PART, MOST_SEGMENT_FILES) };
}

/** How many descriptors this process may have. Node has raised it as far as it may be raised. */
export function readDescriptorLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return toLimit(limit);
  } catch {
    return askNode();
  }
}

/** Where there is no /proc. It takes longer, as it reports all there is to know. */
function askNode(): number {
  // Node's types do not know the switch.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  try {
    report.excludeNetwork = true;
    const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: string | number } } };
    return toLimit(userLimits?.open_files?.soft);
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

function toLimit(limit: string | number | undefined): number {
  if (limit === "unlimited") return Number.MAX_SAFE_INTEGER;
  const count = Number(limit);
  return Number.isInteger(count) && count > 0 ? count : UNKNOWN_LIMIT;
}
