import { z } from "zod";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";

const id = z.strictObject({ id: z.string().min(1).max(1_000) });

/** Timers: start one, read it, stop it. */
export const timerRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "POST",
    path: "/timers",
    body: z.strictObject({
      name: z.string().min(1).max(60).default("timer"),
      until: z.iso.datetime({ offset: true }).optional(),
    }),
    answer({ body }, { clock, timers }) {
      const untilMs = body.until === undefined ? undefined : Date.parse(body.until);
      return { status: 201, body: timers.start(body.name, untilMs, clock.now()) };
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/timers/{id}",
    params: id,
    answer: ({ params }, { clock, timers }) => ok(timers.get(params.id, clock.now())),
  }),
  atlasRoute({
    method: "POST",
    path: "/timers/{id}/stop",
    params: id,
    answer: ({ params }, { clock, timers }) => ok(timers.stop(params.id, clock.now())),
  }),
  atlasRoute({
    method: "DELETE",
    path: "/timers/{id}",
    params: id,
    answer: ({ params }, { clock, timers }) => ok(timers.stop(params.id, clock.now())),
  }),
];
