import type { Manifest, ManifestEndpoint } from "../../manifest/manifest.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";

/** What a market decides by itself, so that an endpoint of it has nothing to say about it. */
const DECIDED_THERE = ["async", "usage", "output", "pages", "resources", "errors"] as const;

/** An endpoint that another market serves: its run is asked for there, with the caller's input as it is. */
export function checkMarket(
  problems: ProblemList,
  places: EndpointPlaces,
  { authored, manifest }: { readonly authored: ManifestEndpoint; readonly manifest: Manifest },
): void {
  for (const member of Object.keys(authored.request)) {
    if (member === "run") continue;
    const message = `a run at a market has no ${member}: it is asked for by the routes of the market; take it out`;
    problems.report(places.own("request", member), "market", message);
  }
  for (const member of DECIDED_THERE) {
    const value = authored[member];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    problems.report(places.own(member), "market", `the market decides that; take ${member} out`);
  }
  if (manifest.markup?.fixed !== undefined) {
    const message = "what a market reports is marked up by markup.percent alone; take markup.fixed out";
    problems.report(places.own("request", "run"), "market", message);
  }
}
