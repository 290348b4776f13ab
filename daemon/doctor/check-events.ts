import { canonicalJson } from "../base/canonical-json.ts";
import { messageId } from "../ledger/transaction/record-events.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import type { RecordedEvent } from "../ledger/records/webhook-records.ts";

/**
 * What is wrong with the deliveries of a line's events. A receiver knows a repeated message by its id, so an event has one id
 * for each receiver. Where the line shows what tells its event from all others, the id must follow from that.
 */
export function deliveryProblems(line: Line): string[] {
  const problems: string[] = [];
  const ids = new Map<string, string>();
  for (const event of eventsOf(line)) {
    const key = eventKey(line, event);
    for (const [webhookId, id] of event.to) {
      const name = canonicalJson([webhookId, event.type, event.data ?? null]);
      const other = ids.get(name) ?? (key === undefined ? id : messageId(webhookId, event.type, key));
      if (other !== id) {
        problems.push(`an event ${event.type} is delivered to webhook ${webhookId} as ${id}, and is message ${other}`);
      }
      ids.set(name, id);
    }
  }
  return problems;
}

export function countDeliveries(line: Line): number {
  return eventsOf(line).reduce((sum, { to }) => sum + to.length, 0);
}

function eventsOf(line: Line): readonly RecordedEvent[] {
  return "events" in line ? (line.events ?? []) : [];
}

/** The `key` of `NewEvent`, for events of which there is one for each run or each line. */
function eventKey(line: Line, { type }: RecordedEvent): string | undefined {
  if (line.t === "schedule.paused") return JSON.stringify([line.schedule, line.at]);
  const isOfRun = type.startsWith("run.") || type === "approval.requested";
  return isOfRun && "run" in line ? line.run : undefined;
}
