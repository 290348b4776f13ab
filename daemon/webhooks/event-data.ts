import { toDollars } from "../../shared/micro-dollars.ts";
import type { RunRecord } from "../ledger/run-record.ts";

/** A provider's words in an error may be long. */
const MAX_ERROR_CHARACTERS = 500;

/**
 * What is told of a run that ended: how it ended and what it cost. Never its input, its output, or what its provider said beyond
 * the status: those may hold secrets, and whoever wants them asks for the run with a key.
 */
export function runEventData(run: RunRecord): Readonly<Record<string, unknown>> {
  const { runId, status, provider, providerName, endpoint, keyLabel, createdAt, startedAt, completedAt } = run;
  return {
    runId,
    status,
    provider,
    providerName,
    endpoint,
    ...(keyLabel !== undefined && { keyLabel }),
    ...(run.tags !== undefined && { tags: run.tags }),
    ...(run.billing !== undefined && { cost: { value: toDollars(run.billing.reported), currency: "USD" } }),
    ...(run.providerResponse !== undefined && { providerStatus: run.providerResponse.httpStatus }),
    resultCount: run.resultCount,
    ...(run.reason !== undefined && { reason: run.reason }),
    ...(run.error !== undefined && {
      error: { source: run.error.source, message: run.error.message.slice(0, MAX_ERROR_CHARACTERS) },
    }),
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
  };
}
