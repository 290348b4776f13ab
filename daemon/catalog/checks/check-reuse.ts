import type { ManifestEndpoint } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";

/** Only an endpoint that reads may answer with what an earlier run got. */
export function checkReuse(
  problems: ProblemList,
  places: EndpointPlaces,
  { draft, authored }: { readonly draft: EndpointDraft; readonly authored: ManifestEndpoint },
): void {
  if (authored.reuse === undefined) return;
  if (authored.resources !== undefined) {
    const message = "an endpoint that has to do with resources changes something: each run must call the provider";
    problems.report(places.own("reuse"), "reuse", message);
  } else if (!draft.idempotent && (draft.request.tool !== undefined || draft.request.method !== "GET")) {
    const message =
      "only an endpoint that reads may answer from an earlier run: say idempotent: true if this one does, or remove reuse";
    problems.report(places.own("reuse"), "reuse", message);
  }
}
