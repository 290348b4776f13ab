import { z } from "zod";
import { DateTime } from "./common.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

/** Whether the secrets of a provider work, as far as is known; never a value. docs/contract.md, "Verdicts on secrets". */
export const SecretVerdict = z
  .object({
    provider: z.string(),
    verdict: z.enum(["works", "failing", "unknown"]),
    at: DateTime.optional().meta({ description: "When it was last seen so, to the hour; absent while unknown." }),
    since: DateTime.optional().meta({ description: "Since when it fails." }),
    canBeTested: z.boolean().meta({ description: "Its file names a free call that proves it." }),
    httpStatus: z.int().optional().meta({ description: "What the provider answered to this test." }),
  })
  .meta({ id: "SecretVerdict" });
export type SecretVerdict = z.infer<typeof SecretVerdict>;

export const SecretVerdictList = z.object({ items: z.array(SecretVerdict) }).meta({ id: "SecretVerdictList" });
export type SecretVerdictList = z.infer<typeof SecretVerdictList>;

const operator = { tier: "mkt", tag: "Operator", auth: "operator" } as const;

export const secretVerdictOperations = {
  listSecretVerdicts: defineOperation({
    ...operationPaths.listSecretVerdicts,
    ...operator,
    summary: "List whether the providers' secrets that are set work",
    responses: { 200: SecretVerdictList },
  }),
  testSecrets: defineOperation({
    ...operationPaths.testSecrets,
    ...operator,
    summary: "Test a provider's secrets with the free call of its file",
    params: z.object({ provider: z.string().min(1) }),
    responses: { 200: SecretVerdict },
    errors: [409, 503],
  }),
};
