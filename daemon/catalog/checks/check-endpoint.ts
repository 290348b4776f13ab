import { checkMarkup, checkPrice } from "../../billing/check-price.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkErrorRule, checkOutput, checkQuantity, checkUsageExtractors } from "./check-answer.ts";
import { checkAsync } from "./check-async.ts";
import { checkCall, pathPlaceholders } from "./check-call.ts";
import { checkCovers } from "./check-covers.ts";
import { checkHttp, checkIdempotencyHeader, checkOrigin } from "./check-http.ts";
import { checkLogin } from "./check-login.ts";
import { checkInputSchemas } from "./check-input-schemas.ts";
import { checkMarket } from "./check-market.ts";
import { checkPages } from "./check-pages.ts";
import { checkRequest } from "./check-request.ts";
import { checkReuse } from "./check-reuse.ts";
import { checkTool } from "./check-tool.ts";
import { checkExtractor, declaredInput, type ExtractorScope, type ReferenceScope } from "./check-references.ts";
import { type DeclaredPlace, EndpointPlaces } from "./endpoint-places.ts";
import { complainAboutInput } from "../input/input-form.ts";
import { declaredProperties } from "../../manifest/json-schema-walk.ts";
import type { Manifest, ManifestEndpoint } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";
import type { SchemaCompiler } from "../input/schema-compiler.ts";

export interface EndpointContext {
  readonly problems: ProblemList;
  readonly manifest: Manifest;
  readonly compiler: SchemaCompiler;
  /** Only files that come with the program may use `builtin:` origins. */
  readonly bundled: boolean;
}

/**
 * Checks everything about one endpoint that its schema cannot express. Locations are those in the file, for inherited
 * parts too.
 */
export function checkEndpoint(draft: EndpointDraft, authored: ManifestEndpoint, context: EndpointContext): void {
  const places = new EndpointPlaces(draft.path, authored, context.manifest);
  const input = declaredInput(draft.input);
  const scope: ReferenceScope = { secrets: new Set(Object.keys(context.manifest.secrets)), input };
  const state = draft.async === undefined ? undefined : keptNames(draft.async);
  const extractorScope: ExtractorScope = { input, ...(state !== undefined && { state }) };
  const { problems } = context;

  checkInputSchemas(problems, places.own("input"), draft.input, context.compiler);
  checkPlaces(problems, draft, places);
  checkCovers(problems, places.own("covers"), authored.covers);
  checkOrigin(draft, places, context);
  checkHttp(problems, draft, places, scope);
  checkLogin(problems, draft, places);
  if (draft.request.run !== undefined) {
    checkMarket(problems, places, { authored, manifest: context.manifest });
  } else if (draft.request.tool === undefined) {
    checkCall(problems, places.own("request"), draft.request, { scope, baseUrl: draft.http.baseUrl });
    checkRequest(problems, draft, places);
  } else {
    checkTool(problems, places, { draft, authored, scope });
  }
  if (draft.request.idempotency !== undefined) {
    checkIdempotencyHeader(problems, places.own("request", "idempotency", "header"), draft.request.idempotency.header);
  }
  checkOutput(problems, draft, places);
  checkUsageExtractors(problems, draft, places, extractorScope);
  draft.errors.forEach((rule, index) => checkErrorRule(problems, places.error(index), rule, extractorScope));
  checkMoney(draft, places, context);
  checkOverrun(problems, places, authored, extractorScope);
  checkPages(problems, draft, places, extractorScope);
  checkReuse(problems, places, { draft, authored });
  checkAsync(draft, places, { problems, scope, extractorScope });
  checkHints(problems, places, authored);
  checkResourceUse(authored, places, context, extractorScope);
  authored.examples.forEach((example, index) => {
    const complaint = complainAboutInput(draft, example.input);
    if (complaint !== undefined) problems.report(places.own("examples", index, "input"), "example", complaint);
  });
}

function keptNames(job: NonNullable<EndpointDraft["async"]>): ReadonlySet<string> {
  return new Set([...Object.keys(job.start.keep ?? {}), ...Object.keys(job.poll.keep ?? {})]);
}

/** Checks that each `{name}` in the path is in input.pathParams, and the other way round. */
function checkPlaces(problems: ProblemList, draft: EndpointDraft, places: EndpointPlaces): void {
  if (draft.request.run !== undefined) return;
  const schema = draft.input.pathParams;
  const declared = schema === undefined ? new Map<string, unknown>() : declaredProperties(schema);
  const used = new Set(pathPlaceholders(draft.request.path ?? ""));
  const everywhere = JSON.stringify([draft.request, draft.async ?? null, draft.http.headers]);
  const required: unknown[] = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  for (const [name, property] of declared) {
    const place = places.own("input", "pathParams", "properties", name);
    if (used.has(name)) {
      const hasDefault = typeof property === "object" && property !== null && "default" in property;
      if (!required.includes(name) && !hasDefault) {
        problems.report(
          place,
          "path-params",
          `{${name}} is part of the path: add it to required, or give it a default`,
        );
      }
    } else if (!everywhere.includes(`input.pathParams.${name}`)) {
      problems.report(place, "path-params", `${name} is not in the path; write {${name}} in request.path, or move it`);
    }
  }
}

function checkMoney(draft: EndpointDraft, places: EndpointPlaces, { problems, manifest }: EndpointContext): void {
  if (draft.manifestPrice === undefined) {
    problems.report(
      places.own("price"),
      "price",
      "there is no price; add one, such as {type: PER_CALL, amount: 0.002} or {type: FREE}",
    );
    return;
  }
  const { manifestPrice, input, usage, overrun } = draft;
  // A market counts by itself, and tells what a run cost.
  const found =
    draft.request.run === undefined
      ? checkPrice(manifestPrice, { input, usage, overrun, markup: manifest.markup })
      : checkMarkup(manifestPrice, manifest.markup);
  for (const { path, rule, message } of found) problems.report(places.inherited(path), rule, message);
}

/** Older files say `caller` without a bound. They stay valid, and nobody is charged more than was held. */
function checkOverrun(
  problems: ProblemList,
  places: EndpointPlaces,
  { overrun }: ManifestEndpoint,
  scope: ExtractorScope,
): void {
  if (overrun === "caller") {
    const message =
      "caller names no bound, so a run is charged at most what is held for it, and what is above that is the operator's: " +
      "name the most results or units that callers pay for, such as overrun: {caller: 100}, which is then quoted and held; " +
      "or remove the line";
    problems.report(places.own("overrun"), "overrun", message, "nothing");
  } else if (overrun !== "operator") {
    checkQuantity(problems, places.own("overrun", "caller"), overrun.caller, scope);
  }
}

function checkHints(problems: ProblemList, places: EndpointPlaces, authored: ManifestEndpoint): void {
  for (const [label, hint] of Object.entries(authored.hints ?? {})) {
    if (typeof hint === "string") continue;
    const needed = { inspect: ["endpoint"], run: ["endpoint"], discover: ["query"], command: ["command"] } as Record<
      string,
      string[]
    >;
    for (const member of needed[hint.kind] ?? []) {
      if (Object.hasOwn(hint, member)) continue;
      problems.report(places.own("hints", label), "hint", `a hint of kind ${hint.kind} needs ${member}`);
    }
    if (hint.endpoint !== undefined && !hint.endpoint.startsWith("/")) {
      problems.report(places.own("hints", label, "endpoint"), "hint", "the path of an endpoint begins with /");
    }
  }
}

const GIVEN_BY_THE_CALLER = {
  kinds: ["input"],
  because: "a resource is named by the caller: write input:<section>.<field>",
} as const;

function checkResourceUse(
  authored: ManifestEndpoint,
  places: EndpointPlaces,
  { problems, manifest }: EndpointContext,
  scope: ExtractorScope,
): void {
  const uses: DeclaredPlace[] = [];
  const { provisions, ...others } = authored.resources ?? {};
  if (provisions !== undefined) {
    const place = (...rest: string[]) => places.own("resources", "provisions", ...rest);
    uses.push({ path: place(), resource: provisions.resource });
    checkExtractor(problems, place("id"), provisions.id, scope);
    checkExtractor(problems, place("identifier"), provisions.identifier, scope);
    for (const [name, source] of Object.entries(provisions.data ?? {})) {
      checkExtractor(problems, place("data", name), source, scope);
    }
    const rent = manifest.resources?.[provisions.resource]?.price;
    if (rent !== undefined && (authored.price ?? manifest.price)?.type === "BY_PERIOD") {
      const message = `${provisions.resource} has a price by the period too; keep one of them`;
      problems.report(places.inherited(["price"]), "price", message);
    }
  }
  for (const [kind, list] of Object.entries(others)) {
    list?.forEach(({ resource, id }, index) => {
      const path = places.own("resources", kind, index);
      uses.push({ path, resource });
      checkExtractor(problems, [...path, "id"], id, { ...scope, only: GIVEN_BY_THE_CALLER });
    });
  }
  for (const { path, resource } of uses) {
    if (Object.hasOwn(manifest.resources ?? {}, resource)) continue;
    problems.report([...path, "resource"], "resource", `"${resource}" is not declared; add it under resources`);
  }
}
