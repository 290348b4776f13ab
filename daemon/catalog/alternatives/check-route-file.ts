import { basename, extname } from "node:path";
import { isRecord } from "../../../shared/is-record.ts";
import { parseDollars } from "../../../shared/micro-dollars.ts";
import { didYouMean } from "../../../shared/near-misses.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import { RouteFile, ROUTES } from "../../manifest/route-file.ts";
import type { CategoryTree } from "../categories/category-tree.ts";
import { checkInputSchemas } from "../checks/check-input-schemas.ts";
import {
  checkExtractor,
  checkTemplatesIn,
  declaredInput,
  type ExtractorScope,
  type ReferenceScope,
} from "../checks/check-references.ts";
import type { EndpointInputSchemas } from "../entries/catalog-entry.ts";
import { resolveInputSchemas } from "../entries/input-schemas.ts";
import type { SchemaCompiler } from "../input/schema-compiler.ts";
import type { CatalogSource } from "../parsing/read-manifest-file.ts";
import { type CatalogProblem, ProblemList } from "../problems/catalog-problem.ts";
import { reportIssues } from "../problems/manifest-issues.ts";

/** A route file that was checked by itself; the endpoints that it names are looked up when the catalog is joined. */
export interface LoadedRoute {
  readonly source: Pick<CatalogSource, "file" | "hash" | "lineOf">;
  readonly route: RouteFile;
  readonly input: EndpointInputSchemas;
}

export interface RouteReading {
  readonly problems: readonly CatalogProblem[];
  /** Absent when the file cannot be used. */
  readonly loaded?: LoadedRoute;
}

/** Everything that can be known about a route file by itself. docs/routes.md, "The file" */
export function checkRouteFile(
  source: CatalogSource,
  { compiler, tree }: { readonly compiler: SchemaCompiler; readonly tree: CategoryTree },
): RouteReading {
  const problems = new ProblemList(source.file, source.lineOf);
  const shape = RouteFile.safeParse(source.value);
  if (!shape.success) {
    reportIssues(problems, RouteFile, source.value, shape.error.issues);
    return { problems: problems.list() };
  }
  const route = shape.data;
  checkName(problems, route, source.file);
  const input = resolveInputSchemas(route.input, route.schemas);
  checkInputSchemas(problems, ["input"], input, compiler);
  checkMembers(problems, route, input);
  checkOrder(problems, route);
  checkMaxPrice(problems, route);
  const categories = knownCategories(problems, route, tree);
  const isUsable = problems.list().every(({ takesDown }) => takesDown === "nothing");
  return {
    problems: problems.list(),
    ...(isUsable && { loaded: { source, input, route: { ...route, ...(categories && { categories }) } } }),
  };
}

function checkName(problems: ProblemList, { route }: RouteFile, file: string): void {
  const expected = basename(file, extname(file));
  if (route === expected) return;
  const message = `the name must be the file's name without its ending: write route: ${expected}, or rename the file to ${route}${extname(file)}`;
  problems.report(["route"], "slug", message);
}

const FROM_THE_OUTPUT = {
  kinds: ["path", "input", "number"],
  because: "a route's output is read from its member's output ($…) and from the route's input (input:…)",
} as const;

function checkMembers(problems: ProblemList, { members }: RouteFile, schemas: EndpointInputSchemas): void {
  const input = declaredInput(schemas);
  const templates: ReferenceScope = { secrets: new Set(), input };
  const seen = new Set<string>();
  members.forEach(({ endpoint, input: map, output }, index) => {
    const place: DocumentPath = ["members", index];
    if (endpoint.startsWith(`${ROUTES}/`)) {
      const message = "a route cannot be a member of a route; name the endpoints of that route here";
      problems.report([...place, "endpoint"], "member", message);
    }
    if (seen.has(endpoint)) problems.report([...place, "endpoint"], "member", `${endpoint} is a member already`);
    seen.add(endpoint);
    for (const [section, fields] of Object.entries(map ?? {})) {
      const parts = checkTemplatesIn(problems, [...place, "input", section], fields, templates);
      if (parts.every(({ kind }) => kind === "text" || kind === "input")) continue;
      const message = "only ${input.<section>.<field>} can be used here: a route has no secrets and no job of its own";
      problems.report([...place, "input", section], "template", message);
    }
    if (output !== undefined) checkOutput(problems, [...place, "output"], output, { input, only: FROM_THE_OUTPUT });
  });
}

function checkOutput(problems: ProblemList, path: DocumentPath, map: object, scope: ExtractorScope): void {
  for (const [name, from] of Object.entries(map) as [string, string | number | object][]) {
    if (isRecord(from)) checkOutput(problems, [...path, name], from, scope);
    else checkExtractor(problems, [...path, name], from as string | number, scope);
  }
}

function checkOrder(problems: ProblemList, { order = [], members }: RouteFile): void {
  const names = members.map(({ endpoint }) => endpoint);
  order.forEach((name, index) => {
    if (!names.includes(name)) {
      problems.report(["order", index], "order", `${name} is no member of this route${didYouMean(name, names)}`);
    } else if (order.indexOf(name) < index) {
      problems.report(["order", index], "order", `${name} stands in this order already`);
    }
  });
}

function checkMaxPrice(problems: ProblemList, { maxPrice }: RouteFile): void {
  if (maxPrice === undefined) return;
  try {
    parseDollars(typeof maxPrice === "object" ? maxPrice.value : maxPrice);
  } catch (error) {
    problems.report(["maxPrice"], "price", (error as Error).message);
  }
}

function knownCategories(problems: ProblemList, { categories }: RouteFile, tree: CategoryTree): string[] | undefined {
  return categories?.filter((path, index) => {
    const complaint = tree.explainUnknown(path);
    if (complaint !== undefined) problems.report(["categories", index], "category", complaint, "nothing");
    return complaint === undefined;
  });
}
