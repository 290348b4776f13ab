import { operations } from "../../shared/contract/index.ts";
import type { ExportFormat } from "../../shared/contract/usage.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { TextStream } from "../http/answers/text-stream.ts";
import { toRunFilter } from "../runs/answers/run-filter.ts";
import type { UsageGrouping, UsageService } from "./usage-service.ts";

export function usageRoutes({ usage }: { usage: UsageService }): Route[] {
  return [
    route(operations.getUsage, async ({ caller, query: { groupBy = "provider", ...range } }) =>
      reply(200, await usage.sum(caller, toGrouping(groupBy), toRunFilter(range))),
    ),
    route(operations.exportRuns, ({ caller, query: { format, ...filters } }) => {
      const pieces = usage.exportRuns(caller, toRunFilter(filters), format);
      return reply(200, new TextStream(mediaTypes[format], pieces), {
        "content-disposition": `attachment; filename="runs.${format}"`,
      });
    }),
  ];
}

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson",
};

/** The contract has checked that it is one of these. */
function toGrouping(groupBy: string): UsageGrouping {
  if (groupBy.startsWith("tag:")) return { tag: groupBy.slice("tag:".length) };
  return groupBy as Exclude<UsageGrouping, object>;
}
