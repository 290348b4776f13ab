import type { Hints, HintTarget } from "../../shared/contract/hints.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { authoredHints } from "../catalog/public-cards.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import type { ClientKind } from "../http/client-kind.ts";
import { isStoppable } from "./run-lifecycle.ts";
import { isTerminal, type RunRecord } from "./run-record.ts";

/**
 * What to do next with a run: the service's own steps (read it, stop it), then what the endpoint's author wrote.
 * Undefined for callers of an unknown kind, and when there is nothing to say. Contract semantics, 11.
 */
export function runHints(
  run: RunRecord,
  entry: CatalogEntry | undefined,
  client: ClientKind | undefined,
): Hints | undefined {
  const targets: Record<string, string | HintTarget> = {
    ...(!isTerminal(run) && { "get the result": { kind: "getRun", runId: run.runId } as const }),
    ...(isStoppable(run) && { "stop it": { kind: "stop", runId: run.runId } as const }),
    ...(isTerminal(run) && entry !== undefined && authoredHints(entry)),
  };
  return renderHints(targets, client);
}
