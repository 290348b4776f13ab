import { z } from "zod";
import { ManifestMoney } from "./manifest-price.ts";
import { MANIFEST_VERSION } from "./manifest.ts";
import { categoryPath, extractor, jsonSchema, partName, Slug, webUrl } from "./parts/values.ts";

/** The provider under which routes are found and run: `routes/<name>`. */
export const ROUTES = "routes";

/** A map of keys, each an extractor or a map of its own. */
type OutputMap = { [name: string]: string | number | OutputMap };
const OutputMap: z.ZodType<OutputMap> = z
  .record(z.string(), z.union([extractor, z.lazy(() => OutputMap)]))
  .meta({ id: "RouteOutputMap" });

const fields = z.record(z.string(), z.unknown());
/** What callers give, in the sections that endpoints have. */
const inputSchemas = z.strictObject({
  pathParams: jsonSchema.optional().describe("JSON Schema (2020-12) of the parameters in the path."),
  queryParams: jsonSchema.optional().describe("JSON Schema (2020-12) of the query parameters."),
  body: jsonSchema.optional().describe("JSON Schema (2020-12) of the body's fields."),
});

const memberName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*\/.+$/, "an endpoint as provider/path, such as weather/forecast/{city}");

export const RouteMember = z
  .strictObject({
    endpoint: memberName.describe("The endpoint, as provider/path."),
    input: z
      .strictObject({
        pathParams: fields.optional().describe("Fields of the path."),
        queryParams: fields.optional().describe("Fields of the query."),
        body: fields.optional().describe("Fields of the body."),
      })
      .optional()
      .describe(
        "The member's input, made from the route's: fixed values, and templates such as ${input.queryParams.q}. Left out: the same input.",
      ),
    output: OutputMap.optional().describe(
      "The route's output, read from the member's: extractors such as $.items[0].name. Left out: the member's own output.",
    ),
  })
  .meta({ id: "RouteMember" });

/** The most members that a route may have. */
const MAX_MEMBERS = 20;

/**
 * A route file: what one YAML or JSON file of the folder `routes` in a catalog folder may contain. Strict keys; only the
 * shape. Source: docs/routes.md.
 */
export const RouteFile = z.strictObject({
  $schema: z.string().optional().describe("In a JSON file: the schema with which an editor checks it."),
  mkt: z.literal(MANIFEST_VERSION).describe("Version of the format."),
  route: Slug.describe("Its name, and that of the file; it is run as routes/<name>."),
  displayName: z.string().optional().describe("Name for people; the slug when left out."),
  description: z.string().default("").describe("What it answers, written to be found: what goes in, what comes out."),
  docUrl: webUrl.optional().describe("A page about it."),
  tags: z.array(z.string()).default([]).describe("Words to browse by."),
  categories: z
    .array(categoryPath)
    .optional()
    .describe("Places in the category tree; those of its members when left out."),
  notes: z.array(z.string()).default([]).describe("What a caller should know."),
  asks: z
    .array(z.string())
    .default([])
    .describe(
      "Needs that it serves, in the words of people who do not know it; searched, and three are shown in inspect.",
    ),
  input: inputSchemas.default({}).describe("The input from callers. Nothing else is accepted."),
  schemas: z.record(partName, jsonSchema).default({}).describe("Shared JSON Schemas: $ref '#/schemas/Name'."),
  output: z
    .strictObject({ schema: jsonSchema.describe("JSON Schema of the output, for readers.") })
    .optional()
    .describe("What callers get."),
  members: z
    .array(RouteMember)
    .min(1, "name at least one endpoint")
    .max(MAX_MEMBERS, `at most ${MAX_MEMBERS} endpoints`)
    .describe("The endpoints that answer the same; tried in this order where neither order nor sort says otherwise."),
  order: z.array(memberName).optional().describe("Members that are tried first, in this order."),
  sort: z
    .enum(["price", "latency", "success"])
    .optional()
    .describe(
      "The order of the members that order does not name: the cheapest, the fastest or the most reliable first.",
    ),
  maxPrice: ManifestMoney.optional().describe("USD. A member of which one run may cost more is not tried."),
  allowFallbacks: z.boolean().default(true).describe("false: only the first member is tried."),
});
export type RouteFile = z.infer<typeof RouteFile>;

/** The schema's identifier; a URN and not an address, because editors read it from a file. */
export const ROUTE_FILE_SCHEMA_ID = `urn:mkt:route-file:${MANIFEST_VERSION}`;

/** JSON Schema (2020-12) of a route file as its author writes it, for editors. It covers only shapes. */
export function routeFileJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(RouteFile, { target: "draft-2020-12", io: "input" });
  return {
    $schema,
    $id: ROUTE_FILE_SCHEMA_ID,
    title: `mkt route file, version ${MANIFEST_VERSION}`,
    description: "One route of a marketplace: endpoints that answer the same, and which of them is tried when.",
    ...schema,
  };
}
