import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkPagesOf } from "./check-pages.ts";
import { checkCall, checkFixedEncoding } from "./check-call.ts";
import { checkExtractor, type ExtractorScope, type ReferenceScope } from "./check-references.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";
import type { Async } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";

interface AsyncContext {
  readonly problems: ProblemList;
  readonly scope: ReferenceScope;
  readonly extractorScope: ExtractorScope;
}

/** The job protocol of an endpoint: start, poll, result, stop. */
export function checkAsync(draft: EndpointDraft, places: EndpointPlaces, context: AsyncContext): void {
  const { problems } = context;
  if (draft.asyncMissing) {
    const message =
      "async: {} means the provider's job protocol, but the provider has none; add async at the top level";
    problems.report(places.own("async"), "async", message);
  }
  const job = draft.async;
  if (job === undefined) return;
  checkExtractors(job, places, context);
  checkCalls(job, draft, places, context);
  checkStates(problems, job, places);
  const { everyMs, maxEveryMs } = job.poll;
  if (maxEveryMs !== undefined && maxEveryMs < everyMs) {
    const message = `maxEveryMs (${maxEveryMs}) is below everyMs (${everyMs}); make it the longer of the two`;
    problems.report(places.async("poll", "maxEveryMs"), "async", message);
  }
}

function checkExtractors(job: Async, places: EndpointPlaces, { problems, extractorScope }: AsyncContext): void {
  const { start, poll, result } = job;
  checkExtractor(problems, places.async("start", "id"), start.id, extractorScope);
  for (const [phase, kept] of [
    ["start", start.keep],
    ["poll", poll.keep],
  ] as const) {
    for (const [name, source] of Object.entries(kept ?? {})) {
      checkExtractor(problems, places.async(phase, "keep", name), source, extractorScope);
    }
  }
  for (const key of Object.keys(start.doneIf?.match ?? {})) {
    checkExtractor(problems, places.async("start", "doneIf", "match", key), key, extractorScope);
  }
  for (const member of ["status", "message", "progress"] as const) {
    checkExtractor(problems, places.async("poll", member), poll[member], extractorScope);
  }
  if (result?.pages === undefined) return;
  const place = places.async("result", "pages");
  checkPagesOf(problems, place, { pages: result.pages, call: result, scope: extractorScope });
  if (result.pages.in === "body") {
    problems.report([...place, "in"], "pages", "a result has no fields of a caller in its body; use in: query");
  }
}

function checkCalls(
  job: Async,
  draft: EndpointDraft,
  places: EndpointPlaces,
  { problems, scope, extractorScope }: AsyncContext,
): void {
  const jobScope: ReferenceScope = { ...scope, state: extractorScope.state ?? new Set<string>() };
  for (const phase of ["poll", "result", "stop"] as const) {
    const call = job[phase];
    if (call === undefined) continue;
    checkCall(problems, places.async(phase), call, { scope: jobScope, baseUrl: draft.http.baseUrl });
    checkFixedEncoding(problems, places.async(phase, "encoding"), call);
  }
}

/** A state with two meanings would end a run unpredictably. */
function checkStates(problems: ProblemList, job: Async, places: EndpointPlaces): void {
  const meanings = new Map<string, string>();
  for (const kind of ["running", "done", "failed", "stopped"] as const) {
    for (const value of job.poll.states[kind] ?? []) {
      const earlier = meanings.get(String(value));
      if (earlier !== undefined && earlier !== kind) {
        const message = `"${value}" stands under ${earlier} and under ${kind}; keep it in one of them`;
        problems.report(places.async("poll", "states", kind), "async", message);
      }
      meanings.set(String(value), kind);
    }
  }
}
