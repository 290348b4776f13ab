import type { Hints, HintTarget } from "../../shared/contract/hints.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { authoredHints } from "../catalog/public-cards.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import type { ClientKind } from "../http/client-kind.ts";
import { isStoppable } from "./run-lifecycle.ts";
import { isTerminal, type RunRecord } from "./run-record.ts";

/**
 * What the author of the run's endpoint advises; undefined when it is served no more. A request with an Idempotency-Key
 * goes on being answered with what was advised when it was made.
 */
export function adviceFor(run: RunRecord, catalog: Pick<Catalog, "find">): Hints | undefined {
  if (run.idempotency !== undefined) return run.idempotency.hints ?? {};
  const entry = catalog.find(run.provider, run.endpoint);
  return entry === undefined ? undefined : (authoredHints(entry) ?? {});
}

/**
 * What to do next with a run: the service's own steps (read it, stop it), then what the endpoint's author advises
 * (`adviceFor`). Undefined for callers of an unknown kind, and when there is nothing to say. Contract semantics, 11.
 */
export function runHints(run: RunRecord, advice: Hints | undefined, client: ClientKind | undefined): Hints | undefined {
  const targets: Record<string, string | HintTarget> = {
    ...(!isTerminal(run) && { "get the result": { kind: "getRun", runId: run.runId } as const }),
    ...(isStoppable(run) && { "stop it": { kind: "stop", runId: run.runId } as const }),
    ...(isTerminal(run) && advice !== undefined && withResource(run, advice)),
  };
  return renderHints(targets, client);
}

/** An author's hint to give a resource back is about the one that this run made; without one it is left out. */
function withResource(run: RunRecord, hints: Hints): Hints {
  const made = run.resources?.find(({ action }) => action === "PROVISIONED");
  const isAboutResource = (hint: Hints[string]) => typeof hint !== "string" && hint.kind === "releaseResource";
  const authored = Object.entries(hints).flatMap(([phrase, hint]) => {
    if (typeof hint === "string" || !isAboutResource(hint) || hint.resourceId !== undefined) return [[phrase, hint]];
    return made === undefined ? [] : [[phrase, { ...hint, resourceId: made.resourceId }]];
  });
  const isTold = Object.values(hints).some(isAboutResource);
  return {
    ...Object.fromEntries(authored),
    ...(made !== undefined &&
      !isTold && { "give it back": { kind: "releaseResource" as const, resourceId: made.resourceId } }),
  };
}
