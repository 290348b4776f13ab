import { z } from "zod";
import { DateTime } from "./common.ts";
import { queryList } from "./query-values.ts";
import { RunStatus } from "./runs.ts";

/** The filters for the runs of a list, an export or a sum. docs/contract.md, "Listing runs". */
export const runFilters = {
  status: queryList(RunStatus.options).optional().meta({ description: "One status or several, comma-separated." }),
  provider: z.string().min(1).optional(),
  endpoint: z.string().min(1).optional(),
  since: DateTime.optional().meta({ description: "Created at or after." }),
  until: DateTime.optional().meta({ description: "Created before." }),
  tag: z.string().min(1).optional().meta({ description: "name:value" }),
  keyLabel: z.string().min(1).optional().meta({ description: "Current label of the API key that made the run." }),
};
