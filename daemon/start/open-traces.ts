import { randomUUID } from "node:crypto";
import type { OpenParts } from "../base/open-parts.ts";
import type { RunId } from "../base/ids.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { RunTraces } from "../traces/run-traces.ts";

export interface OpenTraces {
  readonly traces: RunTraces;
  readonly traceparentOf: (runId: RunId) => string;
}

/** What traces runs, where a collector is named. The code for it is loaded here: without one it costs no start anything. */
export async function openTraces(
  { traces, version }: Pick<DaemonConfig, "traces" | "version">,
  opened: OpenParts,
): Promise<OpenTraces | undefined> {
  if (traces === undefined) return undefined;
  const [{ RunTraces: Traces }, { traceparentOf }] = await Promise.all([
    import("../traces/run-traces.ts"),
    import("../traces/trace-ids.ts"),
  ]);
  return { traces: opened.use(new Traces({ ...traces, version, instance: randomUUID() })), traceparentOf };
}
