import { basename, extname } from "node:path";
import { ResourceType } from "../../../shared/contract/resource-type.ts";
import { checkPrice } from "../../billing/check-price.ts";
import { resourceTypeOf } from "../entries/build-resources.ts";
import { ProblemList } from "../problems/catalog-problem.ts";
import { checkCovers } from "./check-covers.ts";
import { checkCall, checkFixedEncoding } from "./check-call.ts";
import { checkEndpoint, type EndpointContext } from "./check-endpoint.ts";
import { checkVerify } from "./check-verify.ts";
import { checkOneLogin } from "./check-login.ts";
import { checkExtractor } from "./check-references.ts";
import { explainUnusablePattern } from "../input/linear-pattern.ts";
import { Manifest } from "../../manifest/manifest.ts";
import { ROUTES } from "../../manifest/route-file.ts";
import { reportIssues } from "../problems/manifest-issues.ts";
import { type EndpointDraft, mergeEndpoint } from "../entries/merge-endpoint.ts";
import type { CatalogSource } from "../parsing/read-manifest-file.ts";
import type { SchemaCompiler } from "../input/schema-compiler.ts";

export interface ManifestCheck {
  readonly problems: ProblemList;
  /** Absent when something keeps the whole file out. */
  readonly checked?: { readonly manifest: Manifest; readonly drafts: readonly EndpointDraft[] };
}

/**
 * Everything that can be known about a provider's file without calling anybody: its shape, and the manifest rules
 * between its parts. Unusable endpoints are left out of `drafts`; the others remain.
 */
export function checkManifest(
  source: CatalogSource,
  options: { readonly compiler: SchemaCompiler; readonly bundled: boolean },
): ManifestCheck {
  const problems = new ProblemList(source.file, source.lineOf);
  const shape = Manifest.safeParse(source.value);
  if (!shape.success) {
    reportIssues(problems, Manifest, source.value, shape.error.issues);
    return { problems };
  }
  const manifest = shape.data;
  checkProvider(problems, manifest, source.file);
  const context: EndpointContext = { problems, manifest, ...options };
  const drafts = Object.entries(manifest.endpoints).map(([path, endpoint]) => {
    const draft = mergeEndpoint(manifest, path, endpoint);
    checkEndpoint(draft, endpoint, context);
    return draft;
  });
  checkOneLogin(problems, manifest, drafts);
  if (problems.fatal) return { problems };
  return { problems, checked: { manifest, drafts: drafts.filter(({ path }) => !problems.endpointsDown.has(path)) } };
}

function checkProvider(problems: ProblemList, manifest: Manifest, file: string): void {
  const expected = basename(file, extname(file));
  if (manifest.provider !== expected) {
    const message = `the slug must be the file's name without its ending: write provider: ${expected}, or rename the file to ${manifest.provider}${extname(file)}`;
    problems.report(["provider"], "slug", message);
  }
  if (manifest.provider === ROUTES) {
    const message = `the slug "${ROUTES}" belongs to the routes of the catalog, which are run as ${ROUTES}/<name>; give this provider, and its file, another name`;
    problems.report(["provider"], "slug", message);
  }
  if (Object.keys(manifest.endpoints).length === 0) {
    problems.report(
      ["endpoints"],
      "shape",
      "there is no endpoint; add one under its public path, such as /forecast/{city}",
    );
  }
  for (const [name, { pattern, env }] of Object.entries(manifest.secrets)) {
    if (env.startsWith("MKT_")) {
      const message = `${env} is a setting of mkt itself, which no provider may read; choose another name`;
      problems.report(["secrets", name, "env"], "secret", message);
    }
    const complaint = pattern === undefined ? undefined : explainUnusablePattern(pattern);
    if (complaint !== undefined) problems.report(["secrets", name, "pattern"], "pattern", complaint);
  }
  checkCovers(problems, ["covers"], manifest.covers);
  checkResources(problems, manifest);
  checkVerify(problems, manifest);
}

const NO_INPUT = { pathParams: new Set<string>(), queryParams: new Set<string>(), body: new Set<string>() };
const FROM_THE_ANSWER = {
  kinds: ["path", "header", "status", "number"],
  because: "the data of a resource is read from the response of its verify call",
} as const;

function checkResources(problems: ProblemList, manifest: Manifest): void {
  const scope = {
    secrets: new Set(Object.keys(manifest.secrets)),
    input: { refusedBecause: "a resource is managed without any caller" },
    resource: true,
  };
  for (const [slug, resource] of Object.entries(manifest.resources ?? {})) {
    for (const phase of ["verify", "release"] as const) {
      const call = resource[phase];
      const place = ["resources", slug, phase];
      if (call === undefined) continue;
      checkCall(problems, place, call, { scope, baseUrl: manifest.http?.baseUrl });
      checkFixedEncoding(problems, [...place, "encoding"], call);
      if (manifest.http?.baseUrl === undefined) {
        problems.report(place, "origin", "there is no base URL for it; add http.baseUrl to the provider");
      }
    }
    if (resourceTypeOf(slug, resource) === undefined) {
      const types = ResourceType.options.join(", ");
      problems.report(["resources", slug], "resource", `add type, the nearest of ${types}`);
    }
    for (const [name, source] of Object.entries(resource.data ?? {})) {
      checkExtractor(problems, ["resources", slug, "data", name], source, { input: NO_INPUT, only: FROM_THE_ANSWER });
    }
    if (resource.price !== undefined && resource.price.type !== "BY_PERIOD") {
      const message = `a resource is priced by the period: write type: BY_PERIOD (got ${resource.price.type})`;
      problems.report(["resources", slug, "price", "type"], "price", message);
    } else if (resource.price !== undefined) {
      const markup = { percent: manifest.markup?.percent };
      for (const { path, rule, message } of checkPrice(resource.price, { input: {}, usage: {}, markup })) {
        problems.report(["resources", slug, ...path], rule, message);
      }
    }
  }
}
