import { createHash } from "node:crypto";
import type { RunId } from "../base/ids.ts";

/*
 * The ids of a trace follow from the id of its run. So a run keeps its trace over a restart and at another daemon, and nobody has to
 * carry a context along.
 */

/** 32 hexadecimal digits. */
export function traceIdOf(runId: RunId): string {
  return digest(runId).slice(0, 32);
}

/** 16 hexadecimal digits; `part` names a span below that of the run. */
export function spanIdOf(runId: RunId, part = ""): string {
  return digest(`${runId} ${part}`).slice(0, 16);
}

/** W3C trace context: what a provider does for the run belongs below the run's span. */
export function traceparentOf(callId: RunId): string {
  // A member of a route is called with an id of its own, made of that of its run.
  const runId = callId.replace(/-\d+$/, "") as RunId;
  return `00-${traceIdOf(runId)}-${spanIdOf(runId)}-01`;
}

function digest(text: string): string {
  return createHash("sha256").update(`mkt trace ${text}`).digest("hex");
}
