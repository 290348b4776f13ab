import type { RunRequest } from "../../../shared/contract/runs.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import { type AdmissionFacts, type AdmissionParts, type AdmittedRun, admitEndpoint } from "./admission.ts";
import { admitThroughRoute } from "./admit-through-route.ts";

/** The gates of a run, of an endpoint or through a route. Throws what they throw. */
export async function admitRun(
  parts: AdmissionParts,
  caller: WorkspaceCaller,
  request: RunRequest,
  facts: AdmissionFacts = {},
): Promise<AdmittedRun> {
  const entry = parts.catalog.get(request.provider, request.endpoint, caller);
  const { alternatives } = entry;
  if (alternatives !== undefined)
    return await admitThroughRoute(parts, caller, request, { ...facts, entry, alternatives });
  if (request.allowUncertainRepeats !== undefined) {
    const message = `allowUncertainRepeats is for routes; ${entry.provider.provider}${entry.path} is one endpoint, which nothing can take over for`;
    throw new ApiError("invalidInput", message);
  }
  return await admitEndpoint(parts, caller, request, { ...facts, entry });
}
