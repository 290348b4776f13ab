import type { DocumentPath } from "../../manifest/document-path.ts";
import { parseExtractor } from "../../manifest/extract.ts";
import type { Call, Pages, RequestCall } from "../../manifest/manifest.ts";
import { takesBody } from "../../manifest/takes-body.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkExtractor, type ExtractorScope } from "./check-references.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";

/** The pages of an endpoint that answers at once. */
export function checkPages(
  problems: ProblemList,
  draft: EndpointDraft,
  places: EndpointPlaces,
  scope: ExtractorScope,
): void {
  const { pages, request } = draft;
  if (pages === undefined) return;
  const place = places.own("pages");
  checkPagesOf(problems, place, { pages, call: request, scope });
  const refuse = (message: string) => problems.report(place, "pages", message);
  if (draft.async !== undefined)
    refuse("an endpoint with a job has its pages under async.result.pages; move them there");
  if (request.idempotency !== undefined) {
    refuse("request.idempotency sends one key for all pages, and the provider would answer the first page each time");
  }
  if (draft.resourceUse?.provisions !== undefined || (draft.resourceUse?.releases?.length ?? 0) > 0) {
    refuse("a call that makes or ends a resource is not made page after page; take pages out");
  }
  if (pages.in === "body" && request.bodyField !== undefined) {
    refuse("bodyField is the whole body, so no field for the next page can be added; use in: query");
  }
  if (countsAField(draft)) {
    refuse("a tier of the price counts a field by its selector, which is read once for all pages; have it count usage");
  }
  if (draft.output.media === "text" || draft.output.media === "base64") {
    refuse(`output.media ${draft.output.media} has no list in it; use json`);
  }
}

/** What a selector reads is not added up over the pages, so the caller would pay for one of them. */
function countsAField({ manifestPrice: price }: EndpointDraft): boolean {
  if (price?.type !== "TIERED") return false;
  return price.tiers.some(
    ({ selector, price: { type } }) => selector !== undefined && (type === "PER_RESULT" || type === "PER_UNIT"),
  );
}

/** How a list goes on, of an endpoint or of the result of a job. */
export function checkPagesOf(
  problems: ProblemList,
  place: DocumentPath,
  { pages, call, scope }: { readonly pages: Pages; readonly call: Call | RequestCall; readonly scope: ExtractorScope },
): void {
  for (const member of ["items", "cursor", "next", "size", "more"] as const) {
    checkExtractor(problems, [...place, member], pages[member], scope);
  }
  const items = parseExtractor(pages.items);
  if (items.ok && items.value.kind !== "path") {
    problems.report([...place, "items"], "pages", "the list is a place in the body, such as $.items");
  }
  const { cursor, counts, next, param } = pages;
  const ways = Object.entries({ cursor, counts, next }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (ways.length !== 1) {
    const which =
      ways.length === 0 ? "nothing leads to the next page" : `${ways.join(" and ")} all lead to the next page`;
    problems.report(place, "pages", `${which}; write one of cursor, counts and next`);
  }
  if (next === undefined ? param === undefined : param !== undefined) {
    const message =
      next === undefined
        ? "param is missing: the parameter that asks for the next page"
        : "next is a whole address: take param out";
    problems.report([...place, "param"], "pages", message);
  }
  if (counts === undefined && (pages.first !== undefined || pages.size !== undefined)) {
    problems.report(place, "pages", "first and size go with counts; take them out");
  }
  checkPlaceOfParam(problems, place, pages, call);
}

function checkPlaceOfParam(problems: ProblemList, place: DocumentPath, pages: Pages, call: Call | RequestCall): void {
  const isTool = "tool" in call && call.tool !== undefined;
  if (pages.next !== undefined && (isTool || call.method !== "GET")) {
    problems.report(
      [...place, "next"],
      "pages",
      "an address is asked for with GET, as request does not; use cursor or counts",
    );
  }
  if (isTool && pages.in === "query" && pages.next === undefined) {
    problems.report([...place, "in"], "pages", "a tool has no query; write in: body");
  }
  if (pages.in === "body" && pages.param?.split(".").includes("") === true) {
    problems.report([...place, "param"], "pages", "a path has a name before and after each dot, as in page.cursor");
  }
  if (pages.in === "body" && !isTool && !takesBody(call)) {
    problems.report([...place, "in"], "pages", `a ${call.method} carries no body; use in: query`);
  }
}
