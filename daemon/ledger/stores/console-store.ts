import type { ConsoleTicketRecord } from "../records/console-records.ts";

/** What signing in to the console reads; only what is durable. */
export interface ConsoleStore {
  /** A ticket that was not used yet. It may have expired. */
  findConsoleTicket(hash: string): Promise<ConsoleTicketRecord | undefined>;
}
