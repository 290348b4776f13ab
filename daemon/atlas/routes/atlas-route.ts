import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { AtlasTables } from "../tables/atlas-tables.ts";
import type { Jobs } from "../reports/jobs.ts";
import { parseInput } from "../basics/parse-input.ts";
import type { Slices } from "../basics/slices.ts";
import type { Timers } from "./timers.ts";

/** What the routes need; one for each running atlas. */
export interface AtlasContext {
  readonly clock: Clock;
  readonly tables: AtlasTables;
  readonly slices: Slices;
  readonly jobs: Jobs;
  readonly timers: Timers;
  /** Aborted when atlas closes. */
  readonly closing: AbortSignal;
}

/** A request as it arrived, unchecked. `body` is parsed JSON, undefined without one. */
export interface AtlasCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
}

/** `body` becomes JSON. */
export interface AtlasAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One operation of atlas. `path` may contain `{name}` for one segment. */
export interface AtlasRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  handle(call: AtlasCall, context: AtlasContext): Promise<AtlasAnswer>;
}

const Nothing = z.strictObject({});
type Nothing = typeof Nothing;

interface RouteDefinition<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: AtlasRoute["method"];
  readonly path: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  answer(
    input: { params: z.output<Params>; query: z.output<Query>; body: z.output<Body> },
    context: AtlasContext,
    call: AtlasCall,
  ): AtlasAnswer | Promise<AtlasAnswer>;
}

/** Makes a route whose parameters are checked first: wrong or unknown ones are refused with 422. */
export function atlasRoute<
  Params extends z.ZodType = Nothing,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType = Nothing,
>(definition: RouteDefinition<Params, Query, Body>): AtlasRoute {
  return {
    method: definition.method,
    path: definition.path,
    async handle(call, context) {
      const params = parseInput(definition.params ?? Nothing, call.params) as z.output<Params>;
      const query = parseInput(definition.query ?? Nothing, call.query) as z.output<Query>;
      const body = parseInput(definition.body ?? Nothing, call.body ?? {}) as z.output<Body>;
      return definition.answer({ params, query, body }, context, call);
    },
  };
}

/** A 200 with this JSON. */
export function ok(body: unknown): AtlasAnswer {
  return { status: 200, body };
}
