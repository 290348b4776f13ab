import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { atlasRoute, type AtlasRoute } from "./atlas-route.ts";
import { queryInteger, queryIntegerOr } from "./query-values.ts";

/** Answers with the requested HTTP status, so that a set-up can be tested with every kind of answer. */
export const statusRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/status/{code}",
    params: z.strictObject({ code: queryInteger(200, 599) }),
    query: z.strictObject({ delayMs: queryIntegerOr(0, 0, 10_000) }),
    async answer({ params, query }, { closing }) {
      if (query.delayMs > 0) await delay(query.delayMs, undefined, { signal: closing });
      const { code } = params;
      const message = `atlas answered ${code} because it was asked to.`;
      return { status: code, body: code < 400 ? { status: code, message } : { status: code, error: { message } } };
    },
  }),
];
