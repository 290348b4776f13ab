import { readFileSync } from "node:fs";
import { ConfigRefused } from "./config-refused.ts";

/*
 * The file descriptors of the process are divided at the start, so that callers cannot use up those that runs need:
 *
 *   RESERVED                    the journal, documents, logs, the program's own
 *   a part for callers          connections of the service's port; a quarter as many at the registry's port
 *   a part for atlas            its connections, which come from this daemon itself
 *   a part for old segments     files that are kept open for reading
 *   the rest                    connections to providers
 */

/** An idle daemon has 25 open; the others are for files being written. */
const RESERVED = 64;
const CALLERS_PART = 0.4;
const ATLAS_PART = 1 / 8;
const SEGMENTS_PART = 1 / 8;
/** More than the agents of an office or a proxy need, but few enough that idle connections do no harm. */
const MOST_CALLERS = 4_096;
const MOST_ATLAS = 256;
/** Two files per segment: enough for 1,600,000 runs. */
const MOST_SEGMENT_FILES = 512;
/** Assumed if the system does not tell: the lowest usual limit. */
const UNKNOWN_LIMIT = 1_024;

/** How many descriptors each use may have open. */
export interface DescriptorShares {
  /** Connections of the service's port. */
  readonly service: number;
  /** Connections of the registry's port. */
  readonly registry: number;
  readonly atlas: number;
  readonly segmentFiles: number;
}

/**
 * Divides `limit` descriptors. `maxConnections`: the operator's setting for the service's port. Throws `ConfigRefused`.
 */
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

/** The descriptor limit of this process, which Node has raised as far as possible. */
export function readDescriptorLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return toLimit(limit);
  } catch {
    return askNode();
  }
}

/** For systems without /proc. Slower, because it makes a whole report. */
function askNode(): number {
  // Node's types do not have this option.
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
