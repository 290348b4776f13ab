import type { FastifyInstance } from "fastify";
import type { MountContext } from "./mount-routes.ts";
import { pathOf } from "./unknown-route.ts";

export interface PageRequest {
  /** Without the query. */
  readonly path: string;
  /** `br, gzip`, as the browser says it. */
  readonly acceptEncoding: string;
  readonly hasQuery: boolean;
  /** Who sent the browser: its reader or this service; a page of another site or port; or it does not say, as over plain http. */
  readonly from: "here" | "elsewhere" | "unknown";
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** What browsers load, beside the operations of the contract. */
export interface Pages {
  /** In the grammar of the router. */
  readonly paths: readonly string[];
  /** Throws an `ApiError` for what is not there. */
  answer(request: PageRequest): Promise<PageAnswer>;
}

/** Host and Origin are checked already, as for every request. */
export function mountPages(
  app: FastifyInstance,
  pages: Pages,
  { rates, sourceOf }: Pick<MountContext, "rates" | "sourceOf">,
): void {
  for (const url of pages.paths) {
    app.get(url, async (request, reply) => {
      void reply.headers(rates.countPublic(sourceOf(request.raw)));
      const { "accept-encoding": encodings = "", "sec-fetch-site": site } = request.headers;
      const answer = await pages.answer({
        path: pathOf(request),
        hasQuery: request.raw.url?.includes("?") === true,
        acceptEncoding: String(encodings),
        from: site === undefined ? "unknown" : site === "none" || site === "same-origin" ? "here" : "elsewhere",
      });
      return await reply.code(answer.status).headers(answer.headers).send(answer.body);
    });
  }
}
