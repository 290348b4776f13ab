import { z } from "zod";
import { DateTime } from "./common.ts";

/** The schedule that a run was made by. */
export const RunOfSchedule = z
  .object({ scheduleId: z.string(), dueAt: DateTime.optional(), missed: z.int().optional() })
  .meta({ id: "RunOfSchedule" });
