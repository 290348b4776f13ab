import { z } from "zod";
import { MarketEndpoint } from "./market-endpoint.ts";
import { template } from "./values.ts";

/**
 * How one field is spelled, of lists `[1, 2]` and objects `{R: 100, G: 200}`. What OpenAPI calls `style` and `explode`.
 *
 *   repeat                      a=1&a=2
 *   brackets                    a[]=1&a[]=2, a[R]=100&a[G]=200
 *   comma, pipes, spaces, tabs  a=1,2 and a=R,100,G,200, or with that separator; comma also in paths and headers
 *   flat                        R=100&G=200: the members of an object as fields of their own
 *   pairs                       R=100,G=200, in paths and headers alone
 *   json                        the value as JSON text
 */
export const FieldStyle = z
  .enum(["repeat", "comma", "brackets", "pipes", "spaces", "tabs", "flat", "pairs", "json"])
  .meta({ id: "ManifestFieldStyle" });
export type FieldStyle = z.infer<typeof FieldStyle>;

export const Call = z.strictObject({
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).describe("HTTP method."),
  path: template
    .optional()
    .describe(
      "Path below baseUrl; {name} is a parameter of input.pathParams. In request: the public path when left out.",
    ),
  url: template
    .optional()
    .describe("A whole address in place of path, at baseUrl's origin or at a host of allowHosts."),
  headers: z
    .record(z.string(), template)
    .optional()
    .describe(
      'Headers of this call: a template each. One that is nothing but "${input.queryParams.<name>}" takes that parameter out of the query.',
    ),
  queryParams: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Fixed parameters of the query, under those of the caller."),
  body: z.record(z.string(), z.unknown()).optional().describe("Fixed fields of the body, under those of the caller."),
  encoding: z
    .enum(["json", "form", "multipart", "text", "bytes", "none"])
    .optional()
    .describe(
      "How the body is sent; json when left out. GET, HEAD and DELETE send one only where this says so. text and bytes need bodyField.",
    ),
});
export type Call = z.infer<typeof Call>;

/**
 * The vendor call of an endpoint. `styles`: by the name of a parameter or of a form's field; overrides
 * `http.query.arrays`. `bodyField`: the property of `input.body` that is the whole body: any JSON, or text, or bytes as
 * base64.
 */
export const RequestCall = Call.extend({
  styles: z
    .record(z.string().min(1), FieldStyle)
    .optional()
    .describe("How single fields are spelled, by name: of pathParams, queryParams, or of the body of a form."),
  bodyField: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The property of input.body that is the whole body: any JSON, or with encoding text its text, with bytes its base64 decoded.",
    ),
  idempotency: z
    .strictObject({ header: z.string().min(1).describe("Name of the header, such as Idempotency-Key.") })
    .optional()
    .describe("Makes the call repeatable: the header carries the id of the run, the same for every attempt."),
  /** Name of a tool of the MCP server at `http.baseUrl`; it replaces a method and a path. */
  tool: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Name of a tool of the MCP server at http.baseUrl; in place of method and path."),
  run: MarketEndpoint.optional().describe("An endpoint of the market at http.baseUrl; in place of method and path."),
});
export type RequestCall = z.infer<typeof RequestCall>;

/** The vendor call as it is written: a tool has no method of its own, every other call needs one. */
export const EndpointCall = RequestCall.partial({ method: true })
  .superRefine(({ method, tool, run }, context) => {
    if (method !== undefined || tool !== undefined || run !== undefined) return;
    context.addIssue({ code: "invalid_value", values: Call.shape.method.options, path: ["method"], input: method });
  })
  .meta({ anyOf: [{ required: ["method"] }, { required: ["tool"] }, { required: ["run"] }] });
