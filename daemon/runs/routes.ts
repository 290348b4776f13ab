import type { z } from "zod";
import type { HopsHeaders, Run, RunRequest } from "../../shared/contract/runs.ts";
import { type PartRequest, takeOutputPart } from "../../shared/output-part.ts";
import { operations } from "../../shared/contract/index.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ClientKind } from "../../shared/hints/client-kind.ts";
import { toControlRun } from "../controls/control-wire.ts";
import { controlsOf } from "../ledger/records/met-controls.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { takePage } from "../http/cursors/take-page.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import { damagedRuns } from "../http/answers/damaged-runs.ts";
import { readHops, refuseLoop } from "./market/hops.ts";
import type { MarketId } from "./market/market-id.ts";
import { type RunAsked, runAnswer } from "./answers/run-answer.ts";
import { toRunFilter } from "./answers/run-filter.ts";
import { adviceFor, runHints } from "./answers/run-hints.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { RunService } from "./run-service.ts";
import { toRun, toRunListItem, toStopAccepted } from "./answers/run-wire.ts";

const DEFAULT_PAGE = 10;

/** The run with the part of its output that was asked for. */
function inPart(run: Run, { offset, limit }: PartRequest): Run {
  if (offset === undefined && limit === undefined) return run;
  const taken = takeOutputPart(run.output, { offset, limit });
  return taken === undefined ? run : { ...run, ...taken };
}

export interface RunRoutesParts {
  readonly runs: RunService;
  readonly catalog: Catalog;
  readonly ids: Pick<WireIds, "ofRun">;
  /** By which other markets know this daemon. */
  readonly marketId: Pick<MarketId, "get">;
  /** True: a sync run is answered with its provider's error status. docs/contract.md, "Mirroring". */
  readonly mirrorProviderStatus: () => boolean;
}

export function runRoutes({ runs, catalog, ids, marketId, mirrorProviderStatus }: RunRoutesParts): Route[] {
  const hintsOf = (run: RunRecord, client: ClientKind | undefined) => runHints(run, adviceFor(run, catalog), client);

  const hopsOf = async (headers: z.infer<typeof HopsHeaders>, { tags }: RunRequest) => {
    const hops = readHops(headers["x-mkt-hops"], tags);
    if (hops.length > 0) refuseLoop(hops, await marketId.get());
    return hops;
  };

  return [
    route(operations.startRun, async ({ caller, body, headers, client, idempotency, signal }) => {
      const hops = await hopsOf(headers, body);
      const asked: RunAsked = {
        waitSeconds: body.wait ?? 0,
        ...(client !== undefined && { client }),
        ...(mirrorProviderStatus() && { mirrored: true }),
      };
      const run = await runs.start(caller, body, {
        waitSeconds: asked.waitSeconds,
        ...(idempotency !== undefined && { idempotency: { ...idempotency, ...asked } }),
        signal,
        hops,
      });
      return runAnswer(run, asked, adviceFor(run, catalog));
    }),
    route(operations.getRun, async ({ caller, params, query, client, signal }) => {
      const run = await runs.get(caller, params.runId, { waitSeconds: query.wait ?? 0, signal });
      return reply(200, inPart(toRun(await ids.ofRun(run), hintsOf(run, client)), query));
    }),
    route(operations.quoteRun, async ({ caller, body, headers, signal }) =>
      reply(200, await runs.quote(caller, body, { hops: await hopsOf(headers, body), signal })),
    ),
    route(operations.listRunControls, async ({ caller, params, query }) => {
      const run = await runs.get(caller, params.runId);
      const { items, cursor = null } = takePage("run-controls", controlsOf(run), query);
      return reply(200, { items: items.map((control) => toControlRun(run, control)), cursor });
    }),
    route(operations.listRuns, async ({ caller, query }) => {
      const before = query.cursor === undefined ? undefined : Number(decodeCursor("runs", query.cursor));
      const slice = await runs.list(caller, toRunFilter(query), {
        limit: query.limit ?? DEFAULT_PAGE,
        ...(before !== undefined && { before }),
      });
      return reply(200, {
        items: await Promise.all(slice.items.map(async (run) => toRunListItem(await ids.ofRun(run)))),
        ...damagedRuns(slice.damaged),
        ...(slice.next !== undefined && { cursor: encodeCursor("runs", slice.next) }),
      });
    }),
    route(operations.stopRun, async ({ caller, params }) =>
      reply(202, toStopAccepted(await runs.stop(caller, params.runId))),
    ),
  ];
}
