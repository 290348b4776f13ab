import { z } from "zod";
import { textOfLength } from "../../shared/contract/common.ts";
import { parseFieldPaths } from "../projection/field-path.ts";
import type { Tool } from "./tool.ts";

/** Members that several tools take. */
const endpointMembers = {
  provider: z.string().min(1).describe("Slug of the provider, such as atlas."),
  endpoint: z.string().min(1).describe("Path of the endpoint as discover and inspect give it, such as /sun."),
};

const runInput = z
  .record(z.string(), z.unknown(), { error: "must be an object, or the text of one in JSON" })
  .default({})
  .describe(
    "What the endpoint takes: flat {name: value}, or {pathParams, queryParams, body}. inspect shows the names and types.",
  );

const maxCost = z
  .number({ error: "must be dollars as a plain number, such as 0.05" })
  .min(0)
  .describe("Dollars. The run is refused before any call if it may cost more.");

const maxPages = z
  .int()
  .min(1)
  .max(1_000)
  .optional()
  .describe("Reads at most this many pages of a list; each is a call. inspect says how many a run may read.");
const maxAge = z
  .int()
  .min(0)
  .max(31_536_000)
  .describe(
    "Seconds. Where inspect shows maxAge: an answer of an earlier run that is at most this old is given for 0.",
  );

export const endpointInput = endpointMembers;
export const runInputMembers = { ...endpointMembers, input: runInput, maxCost: maxCost.optional(), maxPages };

export const maxAgeInput = { maxAge: maxAge.optional() };

export const runIdInput = { runId: z.string().min(1).describe("Id of the run, a ULID.") };

export const fieldsInput = {
  fields: z
    .array(z.string().min(1).refine(isFieldPaths, { error: "must be names, joined by dots" }))
    .min(1)
    .optional()
    .describe(
      "Only these members of the output, to keep it small; dots go deeper, lists are gone through: name, price.amount.",
    ),
};

export const outputPageInput = {
  offset: z
    .int()
    .min(0)
    .optional()
    .describe("Skips this many items of the output's longest list, or characters of its text."),
  limit: z.int().min(1).optional().describe("How many items or characters at most."),
};

export const pageInput = {
  limit: z.int().min(1).max(100).default(10).describe("How many at most."),
  cursor: z.string().min(1).optional().describe("From the answer before, for what comes next."),
};

/** Every tool takes it. docs/contract.md, "MCP tools". */
const workspaceInput = {
  workspaceId: z.string().min(1).optional(),
};

export const queryInput = textOfLength(1, 1000).describe("What the data should be about or do, in plain words.");

/** Checked before anything is run and paid. */
function isFieldPaths(text: string): boolean {
  try {
    return parseFieldPaths(text).length > 0;
  } catch {
    return false;
  }
}

/** What a tool takes, and the workspace that each of them takes beside that. */
export function inputOf({ input }: Pick<Tool, "input">) {
  return input.extend(workspaceInput).strict();
}
