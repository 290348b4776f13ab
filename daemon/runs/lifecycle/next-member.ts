import { isDeepStrictEqual } from "node:util";
import type { ProviderAnswer, RemoteRun } from "../../providers/protocol/provider.ts";
import type { RunNextLine } from "../../ledger/lines/run-lines.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { LeftMember } from "../../ledger/records/run-route.ts";
import type { z } from "zod";

/*
 * When a run through a route goes on to the next member. docs/routes.md, "When the next one is tried".
 *
 *   what the member did                               goes on
 *   surely not executed: no connection, 429, an       always
 *   unset secret; at a market: refused before work,
 *   or its run ended before it reached the provider
 *   may have been executed: no answer, 401, 402,      where the caller allows it
 *   403, 408, 429 after work, 5xx
 *   any other answer, "not found" among them          never: it is the answer
 *   it has accepted a job                             never
 *   a crash during its call                           never
 */

type Why = Pick<LeftMember, "reason" | "source" | "httpStatus" | "maybeExecuted">;

/** Why a member that gave no answer is left; undefined when it is not. */
export function leftWithoutAnswer(
  run: RunRecord,
  {
    source,
    message,
    maybeExecuted,
    remote,
  }: { source: string; message: string; maybeExecuted: boolean; remote?: RemoteRun },
): Why | undefined {
  // What cost nothing at a market may have been executed behind it.
  const isInDoubt = maybeExecuted || remote?.mayHaveRun === true;
  if (!mayTurn(run, isInDoubt)) return undefined;
  return { reason: message, source, ...doubt(run, isInDoubt) };
}

/** Why a member that answered is left; undefined when its answer is the run's. */
export function leftAfterAnswer(run: RunRecord, answer: ProviderAnswer): Why | undefined {
  const { httpStatus, success, error, notExecuted = false } = answer;
  if (success || !(notExecuted || isFailure(httpStatus)) || !mayTurn(run, !notExecuted)) return undefined;
  return { reason: error?.message ?? `It answered ${httpStatus}`, httpStatus, ...doubt(run, !notExecuted) };
}

/** Statuses by which a provider says that it failed, or that the operator's own account does not serve. */
function isFailure(status: number): boolean {
  return [401, 402, 403, 408, 429].includes(status) || status >= 500;
}

function mayTurn({ route, status, job, providerMayHaveCharged }: RunRecord, maybeExecuted: boolean): boolean {
  if (route === undefined || route.next.length === 0 || status !== "RUNNING" || job !== undefined) return false;
  // In doubt since a restart: the call before it may have been executed, whatever this one was.
  return route.allowsUncertain === true || (!maybeExecuted && providerMayHaveCharged === undefined);
}

function doubt({ providerMayHaveCharged }: RunRecord, maybeExecuted: boolean): Pick<LeftMember, "maybeExecuted"> {
  return maybeExecuted || providerMayHaveCharged === true ? { maybeExecuted: true } : {};
}

/** What became of the present member, for the line by which the run leaves it. */
export function leftMember(
  { provider, endpoint, route, createdAt, market }: RunRecord,
  at: string,
  why: Why,
): LeftMember {
  const since = route?.turnedAt ?? createdAt;
  const durationMs = Math.max(0, Date.parse(at) - Date.parse(since));
  return { provider, endpoint, at: since, durationMs, ...why, ...(market !== undefined && { market: there(market) }) };
}

function there({ host, run }: NonNullable<RunRecord["market"]>): NonNullable<LeftMember["market"]> {
  return { host, ...(run !== undefined && { run }) };
}

/** What the caller gave, in composite form, at whichever member the run is. */
function givenInput({ input, route }: Pick<RunRecord, "input" | "route">): RunRecord["input"] {
  return route?.input ?? input;
}

/** The run as the next member's: it waits for a slot there, and nothing of it was called yet. */
export function turned(
  run: RunRecord,
  { at, left, attempts }: Pick<z.infer<typeof RunNextLine>, "at" | "left" | "attempts">,
): RunRecord {
  const [next, ...rest] = run.route?.next ?? [];
  if (run.route === undefined || next === undefined) throw new Error(`run ${run.runId} has no further member`);
  const {
    startedAt: _startedAt,
    providerMayHaveCharged: _doubt,
    maxPages: _maxPages,
    market: _market,
    ...waiting
  } = run;
  const { output: _output, ...route } = run.route;
  const { maximumMicroDollars, output, ...called } = next;
  const given = givenInput(run);
  const input = next.input ?? given;
  return {
    ...waiting,
    ...called,
    input,
    status: "READY",
    attempts,
    route: {
      ...route,
      ...(!isDeepStrictEqual(input, given) && { input: given }),
      turnedAt: at,
      maximumMicroDollars,
      ...(output !== undefined && { output }),
      next: rest,
      left: [...route.left, left],
    },
  };
}

/** True when a member that was left may have been executed, and so its provider may have charged the operator. */
export function leavesDoubt({ route }: Pick<RunRecord, "route">): boolean {
  return route?.left.some(({ maybeExecuted }) => maybeExecuted === true) ?? false;
}
