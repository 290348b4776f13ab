import type { ConsoleLine } from "../../ledger/lines/console-lines.ts";
import type { ConsoleTicketRecord } from "../../ledger/records/console-records.ts";

/** Tickets of one actor that wait for a browser: older ones make room. */
const MOST_TICKETS = 20;

/** How browsers sign in. */
export interface ConsoleBook {
  /** By hash, oldest first: those that were not used. */
  readonly tickets: Map<string, ConsoleTicketRecord>;
}

export function emptyConsoleBook(): ConsoleBook {
  return { tickets: new Map() };
}

export function applyConsole({ tickets }: ConsoleBook, line: ConsoleLine): void {
  for (const [hash, { expiresAt }] of tickets) if (expiresAt <= line.at) tickets.delete(hash);
  if (line.t === "console.signedIn") {
    tickets.delete(line.ticket);
    return;
  }
  const { ticket } = line;
  const others = [...tickets.values()].filter(({ createdBy }) => createdBy === ticket.createdBy);
  for (const { hash } of others.slice(0, Math.max(0, others.length + 1 - MOST_TICKETS))) tickets.delete(hash);
  tickets.set(ticket.hash, ticket);
}
