import { NoAnswerError } from "../../providers/protocol/provider.ts";
import { type CallFailure, IllegalRunEvent } from "../lifecycle/run-lifecycle.ts";

/** A bug of ours: it is not known what happened at the provider. */
export const OUR_FAULT: CallFailure = {
  source: "mkt",
  message: "The daemon failed during the call",
  maybeExecuted: true,
  attempts: [],
};

/** Why a call gave no answer, from what it threw; undefined for an event that no longer fitted the run. */
export function failureOf(error: unknown): CallFailure | undefined {
  if (error instanceof IllegalRunEvent) return undefined;
  if (!(error instanceof NoAnswerError)) return OUR_FAULT;
  const { source, message, maybeExecuted, attempts, remote, setup } = error;
  const more = { ...(remote !== undefined && { remote }), ...(setup !== undefined && { setup }) };
  return { source, message, maybeExecuted, attempts, ...more };
}
