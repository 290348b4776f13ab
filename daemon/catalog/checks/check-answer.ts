import { looksLikeExtractor, parsePath } from "../../manifest/extract.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkExtractor, type ExtractorScope } from "./check-references.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";
import type { ErrorRule } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";

/** Checks the part of an answer that the caller sees. */
export function checkOutput(problems: ProblemList, draft: EndpointDraft, places: EndpointPlaces): void {
  const { select, omit, media, delimiter } = draft.output;
  if (delimiter !== undefined && media !== "csv") {
    problems.report(
      places.own("output", "delimiter"),
      "output",
      "only CSV has a delimiter; write media: csv, or take it out",
    );
  } else if (delimiter !== undefined && /["\r\n]/.test(delimiter)) {
    problems.report(
      places.own("output", "delimiter"),
      "output",
      "quotes and line ends have a meaning of their own in CSV",
    );
  }
  if (select !== undefined) {
    const parsed = parsePath(select);
    if (!parsed.ok) problems.report(places.own("output", "select"), "extractor", parsed.message);
  }
  omit.forEach((path, index) => {
    const parsed = path.startsWith("$") ? parsePath(path) : undefined;
    if (parsed?.ok === false) problems.report(places.own("output", "omit", index), "extractor", parsed.message);
  });
}

const BEFORE_THE_CALL = {
  kinds: ["input", "number"],
  because: "an estimate is made before the call, from the input (input:body.limit) and from numbers",
} as const;

/** Checks what is measured on an answer, and what is estimated before there is one. */
export function checkUsageExtractors(
  problems: ProblemList,
  draft: EndpointDraft,
  places: EndpointPlaces,
  scope: ExtractorScope,
): void {
  const { count, units, cost, estimate } = draft.usage;
  checkExtractor(problems, places.usage("count"), count, scope);
  checkExtractor(problems, places.usage("units"), units, scope);
  checkExtractor(problems, [...places.usage("cost"), "from"], cost?.from, scope);
  if (cost?.unit !== undefined && cost.usdPerUnit !== undefined) {
    problems.report(places.usage("cost"), "usage", "unit and usdPerUnit both say what one is worth; keep one of them");
  }
  for (const member of ["count", "units", "max"] as const) {
    checkQuantity(problems, [...places.usage("estimate"), member], estimate?.[member], scope);
  }
}

/** A quantity that is known before the call; several factors are multiplied. */
export function checkQuantity(
  problems: ProblemList,
  place: DocumentPath,
  quantity: string | number | readonly (string | number)[] | undefined,
  scope: ExtractorScope,
): void {
  const isProduct = typeof quantity === "object";
  (isProduct ? quantity : [quantity]).forEach((factor, index) => {
    checkExtractor(problems, isProduct ? [...place, index] : place, factor, { ...scope, only: BEFORE_THE_CALL });
  });
}

export function checkErrorRule(
  problems: ProblemList,
  place: DocumentPath,
  rule: ErrorRule,
  scope: ExtractorScope,
): void {
  const { match, missing, status } = rule.when;
  if (match === undefined && missing === undefined && status === undefined) {
    problems.report(
      [...place, "when"],
      "error-rule",
      "an empty when would match every answer; add status, match or missing",
    );
  }
  for (const key of Object.keys(match ?? {})) checkExtractor(problems, [...place, "when", "match", key], key, scope);
  (missing ?? []).forEach((source, index) => {
    checkExtractor(problems, [...place, "when", "missing", index], source, scope);
  });
  const { message } = rule.as;
  if (message !== undefined && looksLikeExtractor(message)) {
    checkExtractor(problems, [...place, "as", "message"], message, scope);
  }
}
