import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

/** The service's description of itself. docs/contract.md, "Service routes". */
export const Health = z
  .object({
    status: z.string().meta({ "x-known-values": ["ok", "draining", "failing"] }),
    version: z.string(),
    uptimeMs: z.number().min(0),
    storage: z.string().meta({ "x-known-values": ["ok", "read-only", "failed"] }),
    damagedPlaces: z.int().min(1).optional().meta({
      description:
        "Number of places in the stored data that are known to be damaged, found by the background check or by a reader; the log names them. Absent: none",
    }),
    replacedBy: z.string().optional().meta({
      description: "The version now on disk in place of the running program; it is used when the daemon is restarted",
    }),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;

/** Whether requests should be sent here now. docs/contract.md, "Service routes". */
export const Readiness = z
  .object({
    ready: z.boolean(),
    reason: z
      .string()
      .optional()
      .meta({ "x-known-values": ["draining", "storage away"] }),
    since: z.string().optional().meta({ description: "Since when its storage does not answer; ISO 8601" }),
  })
  .meta({ id: "Readiness" });
export type Readiness = z.infer<typeof Readiness>;

export const OpenApiDocument = z.record(z.string(), z.unknown()).meta({ id: "OpenApiDocument" });
export type OpenApiDocument = z.infer<typeof OpenApiDocument>;

export const serviceOperations = {
  getHealth: defineOperation({
    ...operationPaths.getHealth,
    tier: "mkt",
    tag: "Service",
    summary: "Whether the service is healthy",
    auth: "none",
    load: "vital",
    responses: { 200: Health, 503: Health },
  }),
  getReady: defineOperation({
    ...operationPaths.getReady,
    tier: "mkt",
    tag: "Service",
    summary: "Whether the service takes requests now, for a load balancer",
    auth: "none",
    load: "vital",
    responses: { 200: Readiness, 503: Readiness },
  }),
  getLlmsText: defineOperation({
    ...operationPaths.getLlmsText,
    tier: "mkt",
    tag: "Service",
    summary: "What the service is and how to call it, as text for language models",
    auth: "none",
    responses: { 200: z.string() },
    streams: ["text/plain"],
  }),
  getOpenApiDocument: defineOperation({
    ...operationPaths.getOpenApiDocument,
    tier: "mkt",
    tag: "Service",
    summary: "This contract as an OpenAPI document",
    auth: "none",
    responses: { 200: OpenApiDocument },
  }),
};
