import type { WebhookRecord } from "../ledger/webhook-records.ts";
import { type Message, slackText } from "./slack-text.ts";

/** The Standard Webhooks specification recommends it. */
export const MAX_BODY_BYTES = 20_000;
/** Members that may be left out when a body would be longer: the longest first. */
const LARGE_MEMBERS = ["tags", "error", "reason"];

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
