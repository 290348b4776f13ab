import { z } from "zod";
import { almanacReport } from "../reports/almanac-report.ts";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import type { ReportKind } from "../reports/report-kind.ts";
import { timeZoneReport } from "../reports/time-zone-report.ts";

/** Every report, by its name in the path and in job ids. */
export const reportKinds: Readonly<Record<string, ReportKind>> = {
  "time-zones": timeZoneReport,
  almanac: almanacReport,
};

const job = z.strictObject({ id: z.string().min(1).max(4000) });

/** Reports: start one, read its progress, fetch it, stop it. */
export const reportRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "POST",
    path: "/reports/{kind}",
    params: z.strictObject({ kind: z.string() }),
    body: z.record(z.string(), z.unknown()),
    async answer({ params, body }, { jobs }, { idempotencyKey }) {
      return { status: 202, body: await jobs.start(params.kind, body, idempotencyKey) };
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/jobs/{id}",
    params: job,
    answer: async ({ params }, { jobs }) => ok(await jobs.get(params.id)),
  }),
  atlasRoute({
    method: "GET",
    path: "/jobs/{id}/result",
    params: job,
    answer: async ({ params }, { jobs }) => ok(await jobs.result(params.id)),
  }),
  atlasRoute({
    method: "DELETE",
    path: "/jobs/{id}",
    params: job,
    answer: async ({ params }, { jobs }) => ok(await jobs.stop(params.id)),
  }),
];
