import { toDollars } from "../../shared/micro-dollars.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { WebhookRecord } from "../ledger/records/webhook-records.ts";
import { type Message, slackText } from "./slack-text.ts";

/** The Standard Webhooks specification recommends it. */
const MAX_BODY_BYTES = 20_000;
/** Members that may be left out when a body would be longer: the longest first. */
const LARGE_MEMBERS = ["tags", "error", "reason"];

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

/** The body of a message, the same at every attempt, and at most 20 kB. */
export function messageBody(message: Message, format: WebhookRecord["format"]): string {
  if (format === "slack") return JSON.stringify({ text: slackText(message) });
  const { type, at, data } = message;
  let left = data;
  for (const member of ["", ...LARGE_MEMBERS]) {
    const { [member]: _large, ...rest } = left;
    left = rest;
    const body = JSON.stringify({ type, timestamp: at, data: left });
    if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  }
  return JSON.stringify({ type, timestamp: at, data: { runId: data["runId"] } });
}
