import { operations } from "../../shared/contract/index.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ClientKind } from "../../shared/hints/client-kind.ts";
import { toControlRun } from "../controls/control-wire.ts";
import { controlsOf } from "../ledger/met-controls.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { reply, type Route, route } from "../http/route.ts";
import { takePage } from "../http/take-page.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import { damagedRuns } from "../http/damaged-runs.ts";
import { type RunAsked, runAnswer } from "./run-answer.ts";
import { toRunFilter } from "./run-filter.ts";
import { adviceFor, runHints } from "./run-hints.ts";
import type { RunRecord } from "../ledger/run-record.ts";
import type { RunService } from "./run-service.ts";
import { toRun, toRunListItem, toStopAccepted } from "./run-wire.ts";

const DEFAULT_PAGE = 10;

export interface RunRoutesParts {
  readonly runs: RunService;
  readonly catalog: Catalog;
  readonly ids: Pick<WireIds, "ofRun">;
  /** True: a sync run is answered with its provider's error status. docs/contract.md, "Mirroring". */
  readonly mirrorProviderStatus: () => boolean;
}

export function runRoutes({ runs, catalog, ids, mirrorProviderStatus }: RunRoutesParts): Route[] {
  const hintsOf = (run: RunRecord, client: ClientKind | undefined) => runHints(run, adviceFor(run, catalog), client);

  return [
    route(operations.startRun, async ({ caller, body, client, idempotency, signal }) => {
      const asked: RunAsked = {
        waitSeconds: body.wait ?? 0,
        ...(client !== undefined && { client }),
        ...(mirrorProviderStatus() && { mirrored: true }),
      };
      const run = await runs.start(caller, body, {
        waitSeconds: asked.waitSeconds,
        ...(idempotency !== undefined && { idempotency: { ...idempotency, ...asked } }),
        signal,
      });
      return runAnswer(run, asked, adviceFor(run, catalog));
    }),
    route(operations.getRun, async ({ caller, params, query, client, signal }) => {
      const run = await runs.get(caller, params.runId, { waitSeconds: query.wait ?? 0, signal });
      return reply(200, toRun(await ids.ofRun(run), hintsOf(run, client)));
    }),
    route(operations.quoteRun, async ({ caller, body }) => reply(200, await runs.quote(caller, body))),
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
