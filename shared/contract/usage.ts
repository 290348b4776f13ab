import { z } from "zod";
import { didYouMean } from "../near-misses.ts";
import { Money } from "./common.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { runFilters } from "./run-filters.ts";

const sums = {
  runs: z.int().min(0).meta({ description: "Runs of every status." }),
  failed: z.int().min(0).meta({ description: "Of those, how many ended FAILED or TIMED_OUT." }),
  reused: z.int().min(0).meta({ description: "Of the runs, how many were answered from earlier ones, for 0." }),
  saved: Money.meta({
    description: "What those earlier runs were charged, and these were not. Not part of any other sum.",
  }),
  charged: Money.meta({ description: "What the wallet paid: for runs, and as rent for the resources they created." }),
  cost: Money.meta({ description: "What the runs cost the service." }),
  rent: Money.meta({ description: "The part of `charged` that was rent." }),
  overruns: z.int().min(0).meta({ description: "Runs that cost more than was held." }),
  overrun: Money.meta({ description: "Their cost above the hold, borne by the operator." }),
};

export const UsageItem = z
  .object({
    group: z
      .string()
      .nullable()
      .meta({ description: "A provider, an endpoint, …; null for runs without that tag, or made without a key." }),
    ...sums,
  })
  .meta({ id: "UsageItem" });
export type UsageItem = z.infer<typeof UsageItem>;

export const UsageTotal = z.object(sums).meta({ id: "UsageTotal" });
export type UsageTotal = z.infer<typeof UsageTotal>;

export const UsageResponse = z
  .object({
    items: z.array(UsageItem).meta({ description: "Most expensive first; days in chronological order." }),
    total: UsageTotal,
  })
  .meta({ id: "UsageResponse" });
export type UsageResponse = z.infer<typeof UsageResponse>;

const groupings = /^(?:provider|endpoint|key|day|tag:.{1,64})$/su;

const GroupBy = z
  .string()
  .refine((text) => groupings.test(text), {
    error: ({ input }) =>
      `must be provider, endpoint, key, day or tag:NAME${didYouMean(String(input), ["provider", "endpoint", "key", "day"])}`,
  })
  .meta({ "x-wire": { type: "string", pattern: "^(provider|endpoint|key|day|tag:.{1,64})$" } });

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The costs of runs, and all runs. docs/contract.md, "Usage" and "Listing runs". */
export const usageOperations = {
  getUsage: defineOperation({
    ...operationPaths.getUsage,
    tier: "mkt",
    tag: "Usage",
    summary: "Runs and their cost, by group",
    auth: "workspace",
    scope: "runs:read",
    query: z.object({
      groupBy: GroupBy.optional().meta({ description: "provider (default), endpoint, key, day (UTC) or tag:NAME" }),
      since: runFilters.since,
      until: runFilters.until,
    }),
    responses: { 200: UsageResponse },
    errors: [400],
  }),
  exportRuns: defineOperation({
    ...operationPaths.exportRuns,
    tier: "mkt",
    tag: "Usage",
    summary: "All runs as one file, newest first",
    description:
      'csv: a table with a header row (RFC 4180). ndjson: a run a line, as lists show it. A run whose record is damaged has its place, with what is still known: a line that begins with {"damaged":true, or true in the last column. The connection breaks off when the export does.',
    auth: "workspace",
    scope: "runs:read",
    query: z.object({ format: z.enum(EXPORT_FORMATS), ...runFilters }),
    responses: { 200: z.string() },
    streams: ["text/csv", "application/x-ndjson"],
    errors: [400],
  }),
};
