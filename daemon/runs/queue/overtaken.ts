import type { RunAhead } from "../../reuse/runs-ahead.ts";
import type { ProviderPlace } from "./run-queue.ts";

/**
 * While the line that lets a run call its provider was on its way, another daemon began a run that takes its place: its slot
 * or start at the provider, or the call itself, because it is an equal run whose answer this one may have.
 */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
  constructor(readonly by: "slot" | "equalRun") {
    super(`a run of another daemon was quicker: ${by}`);
  }
}

/** Ask it in the step that commits the line: every line before it is known there. Throws `Overtaken`. */
export function checkNotOvertaken({
  place,
  lead,
  wantsAnswer,
}: {
  readonly place: ProviderPlace | undefined;
  readonly lead: RunAhead | undefined;
  /** It takes an earlier answer instead of a call. */
  readonly wantsAnswer: boolean;
}): void {
  if (wantsAnswer && lead?.isOvertaken() === true) throw new Overtaken("equalRun");
  if (place?.fits() === false) throw new Overtaken("slot");
}
