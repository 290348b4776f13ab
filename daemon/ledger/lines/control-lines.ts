import { z } from "zod";
import { IdempotentAnswer } from "../records/idempotency-record.ts";
import { ControlRecord } from "../records/control-records.ts";

const common = { v: z.literal(1), at: z.string(), ws: z.string(), by: z.string() };

export const ControlCreatedLine = z.object({
  t: z.literal("control.created"),
  ...common,
  control: ControlRecord,
  idem: IdempotentAnswer.exactOptional(),
});
/** The whole control after the change. */
export const ControlChangedLine = z.object({ t: z.literal("control.changed"), ...common, control: ControlRecord });
export const ControlDeletedLine = z.object({ t: z.literal("control.deleted"), ...common, controlId: z.string() });

export const ControlLine = z.discriminatedUnion("t", [ControlCreatedLine, ControlChangedLine, ControlDeletedLine]);
export type ControlLine = z.infer<typeof ControlLine>;
