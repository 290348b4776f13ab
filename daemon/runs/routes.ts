import { operations } from "../../shared/contract/index.ts";
import { ApiError, statusByErrorKind } from "../../shared/errors.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ClientKind } from "../http/client-kind.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { reply, type Route, route } from "../http/route.ts";
import { runHints } from "./run-hints.ts";
import { isTerminal, type RunRecord } from "./run-record.ts";
import type { RunService } from "./run-service.ts";
import type { RunFilter } from "./run-store.ts";
import { toRun, toRunAccepted, toRunCompleted, toRunListItem, toStopAccepted } from "./run-wire.ts";

const DEFAULT_PAGE = 10;

export interface RunRoutesParts {
  readonly runs: RunService;
  readonly catalog: Catalog;
  /** True: a sync run whose provider answered an error carries the provider's status. Contract semantics, 3, "Mirroring". */
  readonly mirrorProviderStatus: () => boolean;
}

export function runRoutes({ runs, catalog, mirrorProviderStatus }: RunRoutesParts): Route[] {
  const hintsOf = (run: RunRecord, client: ClientKind | undefined) =>
    runHints(run, catalog.find(run.provider, run.endpoint), client);

  return [
    route(operations.startRun, async ({ caller, body, client, signal }) => {
      const run = await runs.start(caller, body, { waitSeconds: body.wait ?? 0, signal });
      const hints = hintsOf(run, client);
      if (!isTerminal(run)) return reply(202, toRunAccepted(run, hints));
      const completed = toRunCompleted(run, hints);
      if (run.status === "TIMED_OUT") {
        return reply(408, {
          ...completed,
          code: statusByErrorKind.timedOut,
          message: `Run ${run.runId} timed out after ${run.deadlineMs} ms; nothing was charged`,
        });
      }
      const status = mirroredStatus(run, mirrorProviderStatus());
      if (status === 200) return reply(200, completed);
      // The statuses that a provider may answer are not listed in the contract one by one.
      return reply(status as 502, {
        ...completed,
        code: status,
        message: run.providerResponse?.error?.message ?? `The provider answered ${run.providerResponse?.httpStatus}`,
      });
    }),
    route(operations.getRun, async ({ caller, params, query, client, signal }) => {
      const run = await runs.get(caller, params.runId, { waitSeconds: query.wait ?? 0, signal });
      return reply(200, toRun(run, hintsOf(run, client)));
    }),
    route(operations.listRuns, async ({ caller, query }) => {
      const before = query.cursor === undefined ? undefined : Number(decodeCursor("runs", query.cursor));
      const slice = await runs.list(caller, toFilter(query), {
        limit: query.limit ?? DEFAULT_PAGE,
        ...(before !== undefined && { before }),
      });
      return reply(200, {
        items: slice.items.map(toRunListItem),
        ...(slice.next !== undefined && { cursor: encodeCursor("runs", slice.next) }),
      });
    }),
    route(operations.stopRun, async ({ caller, params }) =>
      reply(202, toStopAccepted(await runs.stop(caller, params.runId))),
    ),
  ];
}

/** 402 would look like our own wallet, and becomes 502. Contract semantics, 3. */
function mirroredStatus(run: RunRecord, mirror: boolean): number {
  const status = run.providerResponse?.httpStatus;
  if (!mirror || run.mode !== "sync" || status === undefined || status < 400) return 200;
  return status === 402 ? 502 : status;
}

interface ListQuery {
  readonly status?: readonly RunRecord["status"][] | undefined;
  readonly provider?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly tag?: string | undefined;
  readonly keyLabel?: string | undefined;
}

function toFilter(query: ListQuery): RunFilter {
  return {
    ...(query.status !== undefined && { statuses: query.status }),
    ...(query.provider !== undefined && { provider: query.provider }),
    ...(query.endpoint !== undefined && { endpoint: withLeadingSlash(query.endpoint) }),
    ...(query.since !== undefined && { since: toUtc(query.since) }),
    ...(query.until !== undefined && { until: toUtc(query.until) }),
    ...(query.tag !== undefined && { tag: parseTag(query.tag) }),
    ...(query.keyLabel !== undefined && { keyLabel: query.keyLabel }),
  };
}

function withLeadingSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function toUtc(dateTime: string): string {
  return new Date(dateTime).toISOString();
}

function parseTag(text: string): { key: string; value: string } {
  const colon = text.indexOf(":");
  if (colon <= 0)
    throw new ApiError("invalidInput", `tag must be name:value, for example tag=job:nightly (got "${text}")`);
  return { key: text.slice(0, colon), value: text.slice(colon + 1) };
}
