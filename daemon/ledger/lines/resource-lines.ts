import { z } from "zod";
import { Postings } from "../money/postings.ts";
import { ResourceRecord } from "../records/resource-record.ts";
import { RecordedEvents } from "../records/webhook-records.ts";

/**
 * A resource after a change, with the money that moved by it (rent of a period). What a run does to resources stands in the
 * run's own last line instead (`res` of `run.done`): run, money and resource agree or are all absent.
 */
export const ResourceChangedLine = z.object({
  t: z.literal("resource.changed"),
  v: z.literal(1),
  at: z.string(),
  ws: z.string(),
  resource: ResourceRecord,
  led: Postings,
  events: RecordedEvents,
});

export const ResourceLine = z.discriminatedUnion("t", [ResourceChangedLine]);
export type ResourceLine = z.infer<typeof ResourceLine>;
