import { z } from "zod";
import { ConsoleTicketRecord } from "../records/console-records.ts";
import { KeyRecord } from "../records/identity-records.ts";

const common = { v: z.literal(1), at: z.string() };

export const ConsoleTicketLine = z.object({ t: z.literal("console.ticket"), ...common, ticket: ConsoleTicketRecord });
/** A ticket was exchanged for a session: both in one line, so that no crash leaves a ticket that works twice. */
export const ConsoleSignedInLine = z.object({
  t: z.literal("console.signedIn"),
  ...common,
  /** Hash of the ticket. */
  ticket: z.string(),
  key: KeyRecord,
});

export const ConsoleLine = z.discriminatedUnion("t", [ConsoleTicketLine, ConsoleSignedInLine]);
export type ConsoleLine = z.infer<typeof ConsoleLine>;
