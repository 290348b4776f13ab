import type { Clock } from "../../../base/clock.ts";
import { ServiceFailed } from "./service-failed.ts";

/**
 * Leaves a service alone that failed, so that questions do not wait for it in vain.
 *
 *   working  ── 3 failures one after the other, or 429, or a refused key ──►  resting
 *   resting  ── its time is over, and somebody asks ──►  one question probes, the others go on without
 *   probe    ── an answer ──►  working        ── a failure ──►  resting, twice as long, at most a minute
 *
 * What a service rejects for its content says nothing about its health.
 */
const FAILURES_BEFORE_REST = 3;
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

export interface Circuit {
  /** Does the work unless the service rests; then it rejects with a `ServiceFailed` of the kind "resting". */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Milliseconds until it may be called again; 0 while it works. */
  restMs(): number;
}

export interface CircuitParts {
  readonly clock: Clock;
  /** Called when the service begins to rest, and when it works again. */
  readonly onChange?: (failure: ServiceFailed | undefined) => void;
}

export function createCircuit({ clock, onChange = () => {} }: CircuitParts): Circuit {
  let failures = 0;
  let rest: { readonly untilMs: number; readonly lengthMs: number; readonly because: ServiceFailed } | undefined;
  let probing = false;

  function succeed(): void {
    failures = 0;
    if (rest === undefined) return;
    rest = undefined;
    onChange(undefined);
  }

  function fail(because: ServiceFailed): void {
    failures += 1;
    const isGrave = because.kind === "busy" || because.kind === "refused";
    if (rest === undefined && failures < FAILURES_BEFORE_REST && !isGrave) return;
    const lengthMs = restLengthMs(because, rest?.lengthMs);
    const isNew = rest === undefined;
    rest = { untilMs: clock.now() + lengthMs, lengthMs, because };
    if (isNew) onChange(because);
  }

  const remainingMs = () => (rest === undefined ? 0 : Math.max(0, rest.untilMs - clock.now()));

  return {
    restMs: remainingMs,
    async run(work) {
      const isProbe = rest !== undefined;
      if (rest !== undefined && (probing || remainingMs() > 0)) {
        throw new ServiceFailed("resting", `it is not called for a while: ${rest.because.message}`);
      }
      if (isProbe) probing = true;
      try {
        const result = await work();
        succeed();
        return result;
      } catch (error) {
        if (error instanceof ServiceFailed && error.kind !== "rejected") fail(error);
        throw error;
      } finally {
        if (isProbe) probing = false;
      }
    },
  };
}

function restLengthMs({ kind, retryAfterMs }: ServiceFailed, beforeMs: number | undefined): number {
  if (kind === "refused") return LONGEST_REST_MS;
  const ownMs = beforeMs === undefined ? FIRST_REST_MS : beforeMs * 2;
  return Math.min(LONGEST_REST_MS, Math.max(ownMs, retryAfterMs ?? 0));
}
