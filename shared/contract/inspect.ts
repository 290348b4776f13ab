import { z } from "zod";
import { DateTime } from "./common.ts";
import { EndpointMetrics, UnavailableReason } from "./discovery.ts";
import { Hints } from "./hints.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Price } from "./price.ts";
import { InspectedRoute } from "./route-members.ts";
import { RunInput } from "./runs.ts";

export const InspectRequest = z
  .object({ provider: z.string().min(1), endpoint: z.string().min(1) })
  .meta({ id: "InspectRequest" });
export type InspectRequest = z.infer<typeof InspectRequest>;

const JsonSchema = z.record(z.string(), z.unknown()).meta({ description: "A JSON Schema." });

export const EndpointInput = z
  .object({
    pathParams: JsonSchema.optional(),
    queryParams: JsonSchema.optional(),
    body: JsonSchema.optional(),
    bodyType: z.enum(["json", "form", "multipart"]).optional(),
  })
  .meta({ id: "EndpointInput" });
export type EndpointInput = z.infer<typeof EndpointInput>;

const EndpointExample = z.object({
  name: z.string().optional(),
  input: RunInput,
  output: z
    .unknown()
    .optional()
    .meta({ description: "Extension: the output of a run, if a response was recorded; long lists and texts are cut." }),
});

export const InspectResponse = z
  .object({
    id: z
      .string()
      .optional()
      .meta({ description: "An older contract's member (ULID); this service does not send it." }),
    provider: z.string(),
    providerName: z.string(),
    endpoint: z.string(),
    description: z.string(),
    summary: z.string().optional(),
    method: z.enum(["GET", "POST", "PUT", "DELETE", "PATCH"]).optional(),
    price: Price,
    maxAge: z.int().optional().meta({
      description: "Extension: seconds; the oldest earlier answer that a run with maxAge may get. Absent: none.",
    }),
    docUrl: z
      .string()
      .optional()
      .meta({ description: "Provider documentation for the endpoint; appears nowhere else." }),
    notes: z.array(z.string()).optional(),
    tags: z.array(z.string()),
    hints: Hints.optional(),
    input: EndpointInput.optional(),
    categories: z.array(z.string()),
    metrics: EndpointMetrics.optional(),
    maxPages: z.int().optional().meta({
      description: "Extension: the most pages of a list that a run reads, each a call; absent for a single page.",
    }),
    output: z
      .object({ schema: JsonSchema.optional() })
      .optional()
      .meta({ description: "Extension: the output of a run, if its author described it." }),
    mode: z.enum(["sync", "async"]).optional().meta({
      description: "Extension: whether POST /v1/run answers with the end of the run, or with 202.",
    }),
    deadlineMs: z
      .int()
      .optional()
      .meta({ description: "Extension: milliseconds within which a run ends, and the most that it may ask for." }),
    via: z
      .array(z.string())
      .optional()
      .meta({ description: "Extension: hosts of the markets that a run is passed on through, the first one first." }),
    unavailable: z
      .object({
        reason: UnavailableReason,
        missing: z.array(z.string()).optional().meta({ description: "Names of the secrets that are not set." }),
        next: z.string().optional().meta({
          description: "The command that fixes it: the operator's, or with notConnected the workspace's own.",
        }),
      })
      .optional()
      .meta({ description: "Extension: why it cannot be run now; absent if it can." }),
    secret: z
      .object({ verdict: z.enum(["works", "failing", "unknown"]), at: DateTime.optional() })
      .optional()
      .meta({
        description: "Extension: whether the provider's secret works, and when that was seen; absent without one.",
      }),
    route: InspectedRoute.optional().meta({ description: "Extension: the members of a route." }),
    examples: z.array(EndpointExample).optional().meta({ description: "Inputs that work, as authored." }),
  })
  .meta({ id: "InspectResponse" });
export type InspectResponse = z.infer<typeof InspectResponse>;

export const inspectOperations = {
  inspectEndpoint: defineOperation({
    ...operationPaths.inspectEndpoint,
    tier: "core",
    tag: "Inspect",
    summary: "Everything about one endpoint",
    auth: "workspace",
    body: InspectRequest,
    responses: { 200: InspectResponse },
    errors: [400, 404],
  }),
};
