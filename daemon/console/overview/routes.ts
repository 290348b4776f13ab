import { operations } from "../../../shared/contract/index.ts";
import { reply, type Route, route } from "../../http/routes/route.ts";
import type { OverviewParts } from "./overview-parts.ts";
import { readOverview } from "./overview.ts";

export function overviewRoutes(parts: OverviewParts): Route[] {
  return [route(operations.getOverview, async ({ caller }) => reply(200, await readOverview(parts, caller)))];
}
