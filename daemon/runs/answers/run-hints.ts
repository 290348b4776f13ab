import type { Hints, HintTarget } from "../../../shared/contract/hints.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { authoredHints } from "../../catalog/public-cards.ts";
import { renderHints } from "../../../shared/hints/render-hints.ts";
import type { ClientKind } from "../../../shared/hints/client-kind.ts";
import { isStoppable } from "../lifecycle/run-lifecycle.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";

/**
 * The hints of the author of the run's endpoint; undefined when the endpoint is no longer served. A request with an
 * Idempotency-Key is always answered with the hints of the moment when it was made.
 */
export function adviceFor(run: RunRecord, catalog: Pick<Catalog, "find">): Hints | undefined {
  if (run.idempotency !== undefined) return run.idempotency.hints ?? {};
  const { provider, endpoint } = run.route ?? run;
  const entry = catalog.find(provider, endpoint);
  return entry === undefined ? undefined : (authoredHints(entry) ?? {});
}

/**
 * What to do next with a run: the service's own steps (read it, stop it), then the author's hints (`adviceFor`).
 * Undefined for callers of an unknown kind, and when there are no hints. docs/contract.md, "Who gets hints".
 */
export function runHints(run: RunRecord, advice: Hints | undefined, client: ClientKind | undefined): Hints | undefined {
  const goesOn = !isTerminal(run);
  // Most runs: one that has ended, of an endpoint whose author says nothing.
  if (!goesOn && run.resources === undefined && Object.keys(advice ?? {}).length === 0) return undefined;
  const ofRun = aboutRun(run, advice ?? {});
  const isTold = (kind: HintTarget["kind"]) => Object.values(ofRun).some((hint) => isOf(kind, hint));
  const own: Hints = {
    ...(goesOn && !isTold("getRun") && { "get the result": { kind: "getRun", runId: run.runId } as const }),
    ...(isStoppable(run) && !isTold("stop") && { "stop it": { kind: "stop", runId: run.runId } as const }),
  };
  return renderHints(
    { ...own, ...ofRun, ...(!goesOn && advice !== undefined && withResource(run, withoutRun(advice))) },
    client,
  );
}

/**
 * Makes the author's hints to read or stop a run refer to this one; the hint to stop it is there only while it can be
 * stopped.
 */
function aboutRun(run: RunRecord, advice: Hints): Hints {
  const hints = Object.entries(advice).flatMap(([phrase, hint]) => {
    if (typeof hint === "string" || !isAboutRun(hint)) return [];
    const target = { ...hint, runId: hint.runId ?? run.runId };
    const isPossible = hint.kind === "getRun" || target.runId !== run.runId || isStoppable(run);
    return isPossible ? [[phrase, target] as const] : [];
  });
  return Object.fromEntries(hints);
}

function withoutRun(advice: Hints): Hints {
  return Object.fromEntries(Object.entries(advice).filter(([, hint]) => !isAboutRun(hint)));
}

function isAboutRun(hint: Hints[string]): boolean {
  return isOf("getRun", hint) || isOf("stop", hint);
}

function isOf(kind: HintTarget["kind"], hint: Hints[string]): boolean {
  return typeof hint !== "string" && hint.kind === kind;
}

/**
 * An author's hint to release a resource refers to the one that this run made; if it made none, the hint is left out.
 */
function withResource(run: RunRecord, hints: Hints): Hints {
  const made = run.resources?.find(({ action }) => action === "PROVISIONED");
  const isAboutResource = (hint: Hints[string]) => isOf("releaseResource", hint);
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
