import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkHeader } from "./check-call.ts";
import { checkLiteralsIn } from "./check-literals.ts";
import { checkTemplatesIn, type ReferenceScope } from "./check-references.ts";
import type { EndpointPlaces } from "./endpoint-places.ts";
import type { ManifestEndpoint } from "../../manifest/manifest.ts";
import type { EndpointDraft } from "../entries/merge-endpoint.ts";

/** What a tool's request may contain: the tool's name, and the headers and body that are always sent. */
const OF_A_TOOL: ReadonlySet<string> = new Set(["tool", "headers", "body"]);

/**
 * An endpoint that is a tool of an MCP server: it is posted to `http.baseUrl`, its arguments are `input.body`, and it
 * answers at once.
 */
export function checkTool(
  problems: ProblemList,
  places: EndpointPlaces,
  facts: { readonly draft: EndpointDraft; readonly authored: ManifestEndpoint; readonly scope: ReferenceScope },
): void {
  const { draft, authored, scope } = facts;
  const { headers, body } = draft.request;
  for (const member of Object.keys(authored.request)) {
    if (OF_A_TOOL.has(member)) continue;
    const message = `a tool has no ${member}: it is called at http.baseUrl, with input.body as its arguments; take it out`;
    problems.report(places.own("request", member), "tool", message);
  }
  for (const section of ["pathParams", "queryParams"] as const) {
    if (draft.input[section] === undefined) continue;
    const message = `a tool takes its arguments as one object; move these to input.body`;
    problems.report(places.own("input", section), "tool", message);
  }
  if (authored.async !== undefined) {
    problems.report(places.own("async"), "tool", "a tool answers at once; take async out");
  }
  for (const [name, value] of Object.entries(headers ?? {})) {
    checkHeader(problems, places.own("request", "headers", name), { name, value }, scope);
  }
  checkLiteralsIn(problems, places.own("request", "body"), body);
  checkTemplatesIn(problems, places.own("request", "body"), body, scope);
}
