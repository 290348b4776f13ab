import { operations } from "../../shared/contract/index.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { keepAnswer } from "../idempotency/keep-answer.ts";
import { runAnswer } from "../runs/answers/run-answer.ts";
import { adviceFor } from "../runs/answers/run-hints.ts";
import type { ScheduleService } from "./schedule-service.ts";
import { toOccurrence, toSchedule } from "./schedule-wire.ts";

const DEFAULT_PAGE = 10;
const CURSOR = "schedules";

/** docs/contract.md, "Schedules". */
export function scheduleRoutes({
  schedules,
  catalog,
}: {
  readonly schedules: ScheduleService;
  readonly catalog: Catalog;
}): Route[] {
  return [
    route(operations.createSchedule, async ({ caller, body, idempotency }) =>
      reply(201, toSchedule(await schedules.create(caller, body, keepAnswer(idempotency, 201, toSchedule)))),
    ),
    route(operations.listSchedules, async ({ caller, query }) => {
      const after = query.cursor === undefined ? undefined : String(decodeCursor(CURSOR, query.cursor));
      const { items, next } = await schedules.list(caller, { limit: query.limit ?? DEFAULT_PAGE, after });
      return reply(200, {
        items: items.map(toSchedule),
        ...(next !== undefined && { cursor: encodeCursor(CURSOR, next) }),
      });
    }),
    route(operations.getSchedule, async ({ caller, params }) =>
      reply(200, toSchedule(await schedules.get(caller, params.scheduleId))),
    ),
    route(operations.updateSchedule, async ({ caller, params, body }) =>
      reply(200, toSchedule(await schedules.change(caller, params.scheduleId, body))),
    ),
    route(operations.listScheduleOccurrences, async ({ caller, params }) => {
      const { state } = await schedules.get(caller, params.scheduleId);
      return reply(200, { items: state.occurrences.toReversed().map(toOccurrence) });
    }),
    route(operations.pauseSchedule, async ({ caller, params }) =>
      reply(200, toSchedule(await schedules.pause(caller, params.scheduleId))),
    ),
    route(operations.resumeSchedule, async ({ caller, params }) =>
      reply(200, toSchedule(await schedules.resume(caller, params.scheduleId))),
    ),
    route(operations.runSchedule, async ({ caller, params, client, idempotency, signal }) => {
      const asked = { waitSeconds: 0, ...(client !== undefined && { client }) };
      const run = await schedules.runNow(caller, params.scheduleId, {
        waitSeconds: 0,
        ...(idempotency !== undefined && { idempotency: { ...idempotency, ...asked } }),
        signal,
      });
      return runAnswer(run, asked, adviceFor(run, catalog));
    }),
    route(operations.deleteSchedule, async ({ caller, params }) => {
      await schedules.delete(caller, params.scheduleId);
      return reply(204, undefined);
    }),
  ];
}
