import { z } from "zod";

/** A next step as data: an action and its target, not yet in words. docs/contract.md, "Kinds of hints". */
export const HintTarget = z
  .object({
    kind: z
      .enum(["command", "discover", "inspect", "run", "getRun", "stop", "releaseResource"])
      .meta({ "x-enum-extended": ["topup"] }),
    command: z.string().optional(),
    query: z.string().optional(),
    also: z.array(z.string()).optional().meta({ description: "Of a discovery: the wordings to ask beside the query." }),
    category: z.string().optional().meta({
      description: "Of a discovery: what comes nearest in this category, however far off.",
    }),
    provider: z.string().optional(),
    endpoint: z.string().optional(),
    runId: z.string().optional(),
    resourceId: z.string().optional(),
    comment: z.string().optional(),
  })
  .meta({ id: "HintTarget" });
export type HintTarget = z.infer<typeof HintTarget>;

export const Hints = z.record(z.string(), z.union([z.string(), HintTarget])).meta({
  id: "Hints",
  description:
    "Phrase to next step: a command line for cli/api/mcp callers, a structured target for web callers. Left out for unknown callers.",
});
export type Hints = z.infer<typeof Hints>;
