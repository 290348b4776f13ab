import type { ProblemList } from "../problems/catalog-problem.ts";
import { type DeclaredInput, declaredInput } from "./check-references.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";
import { headerParameter } from "../../manifest/header-parameter.ts";
import type { FieldStyle } from "../../manifest/manifest.ts";
import { takesBody } from "../../manifest/takes-body.ts";
import { parseTemplate } from "../../manifest/template.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";
import { didYouMean } from "../../../shared/near-misses.ts";

/** The styles that fit into one path segment; a header allows the same. */
const PATH_STYLES: readonly FieldStyle[] = ["comma", "pairs", "json"];
const HEADER_STYLES: readonly FieldStyle[] = ["comma", "pairs", "json"];
const FIELD_STYLES: readonly FieldStyle[] = ["repeat", "brackets", "comma", "pipes", "spaces", "tabs", "flat", "json"];

/** Checks that the caller's input can be sent in the form that the call has: its body, its styles. */
export function checkRequest(problems: ProblemList, draft: EndpointDraft, places: EndpointPlaces): void {
  const input = declaredInput(draft.input);
  checkDeclaredBody(problems, draft, places);
  checkKeyInBody(problems, draft, places);
  checkBodyField(problems, draft, places, input);
  checkStyles(problems, draft, places, input);
}

function checkDeclaredBody(problems: ProblemList, draft: EndpointDraft, places: EndpointPlaces): void {
  const { method, encoding } = draft.request;
  if (draft.input.body === undefined || takesBody(draft.request)) return;
  if (encoding === "none") {
    const message = "encoding none sends no body, but input.body declares one";
    problems.report(places.own("request", "encoding"), "call", message);
  } else {
    const message = `a ${method} carries no body; declare these as queryParams, or write request.encoding: json if this one does`;
    problems.report(places.own("input", "body"), "call", message);
  }
}

/** A key that is sent nowhere makes a call that the vendor refuses. */
function checkKeyInBody(problems: ProblemList, { request, http }: EndpointDraft, places: EndpointPlaces): void {
  const index = http.auth.findIndex((auth) => auth.type === "apiKey" && auth.in === "body");
  if (index < 0 || takesBody(request)) return;
  const message = `this key goes into the body, and ${request.method} ${request.path ?? ""} sends none; write http.auth for that endpoint, or request.encoding`;
  problems.report(places.auth(index), "call", message);
}

/** Encodings that send one value; the others send fields. */
const OF_ONE_VALUE: ReadonlySet<string> = new Set(["json", "text", "bytes"]);

function checkBodyField(
  problems: ProblemList,
  { request, http }: EndpointDraft,
  places: EndpointPlaces,
  { body: declared }: DeclaredInput,
): void {
  const { bodyField, encoding = "json" } = request;
  const place = places.own("request", "bodyField");
  if (bodyField === undefined) {
    if (encoding !== "text" && encoding !== "bytes") return;
    const message = `encoding ${encoding} sends one value: name the property of input.body that holds it with bodyField`;
    problems.report(places.own("request", "encoding"), "call", message);
    return;
  }
  if (!OF_ONE_VALUE.has(encoding)) {
    const message = `bodyField is one value, and encoding ${encoding} has none; use json, text or bytes, or take bodyField out`;
    problems.report(place, "call", message);
  }
  if (!takesBody(request)) {
    problems.report(
      place,
      "call",
      `a ${request.method} carries no body; write request.encoding, or take bodyField out`,
    );
  }
  if (declared !== "any" && !declared.has(bodyField)) {
    const message = `${bodyField} is not declared; add it to input.body.properties${didYouMean(bodyField, declared)}`;
    problems.report(place, "call", message);
  }
  if (request.body !== undefined) {
    problems.report(places.own("request", "body"), "call", "bodyField is the whole body; keep one of the two");
  }
  if (http.auth.some((auth) => auth.type === "apiKey" && auth.in === "body")) {
    problems.report(
      place,
      "call",
      "bodyField is the whole body, but the key of http.auth goes into it too; send the key elsewhere",
    );
  }
}

function checkStyles(problems: ProblemList, draft: EndpointDraft, places: EndpointPlaces, input: DeclaredInput): void {
  const { styles = {}, encoding } = draft.request;
  const isForm = encoding === "form" || encoding === "multipart";
  const headers = new Set(headerParametersOf(draft));
  const known = [input.pathParams, input.queryParams, ...(isForm ? [input.body] : [])];
  for (const [name, style] of Object.entries(styles)) {
    const place = places.own("request", "styles", name);
    const possible = [
      ...(has(input.pathParams, name) ? PATH_STYLES : []),
      ...(headers.has(name) ? HEADER_STYLES : has(input.queryParams, name) ? FIELD_STYLES : []),
      ...(isForm && has(input.body, name) ? FIELD_STYLES : []),
    ];
    if (possible.length === 0) {
      const names = known.flatMap((declared) => (declared === "any" ? [] : [...declared]));
      const where = isForm
        ? "pathParams, queryParams or body"
        : "pathParams or queryParams (a body that is no form has no styles)";
      problems.report(
        place,
        "style",
        `${name} is not declared in ${where} of input${didYouMean(name, names)}; add it there, or take the style out`,
      );
    } else if (!possible.includes(style)) {
      const choice = [...new Set(possible)].join(", ");
      problems.report(
        place,
        "style",
        `${name} cannot be sent with style ${style} where it goes; possible are ${choice}`,
      );
    }
  }
}

function has(declared: ReadonlySet<string> | "any", name: string): boolean {
  return declared === "any" || declared.has(name);
}

/** Parameters that only give the value of a header: they are sent there and not in the query. */
function headerParametersOf({ http, request }: EndpointDraft): string[] {
  return Object.values({ ...http.headers, ...request.headers }).flatMap((template) => {
    const parsed = parseTemplate(template);
    const parameter = parsed.ok ? headerParameter(parsed.value) : undefined;
    return parameter === undefined ? [] : [parameter];
  });
}
