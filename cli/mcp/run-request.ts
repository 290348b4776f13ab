import type { RunRequest } from "../../shared/contract/runs.ts";

/** The request that the arguments of `quote` and `run` make. */
export function toRunRequest({
  provider,
  endpoint,
  input,
  maxCost,
  tags,
}: {
  provider: string;
  endpoint: string;
  input: Record<string, unknown>;
  maxCost?: number | undefined;
  tags?: Record<string, string> | undefined;
}): RunRequest {
  return {
    provider,
    endpoint,
    input,
    ...(maxCost !== undefined && { maxCost: { value: maxCost, currency: "USD" } }),
    ...(tags !== undefined && { tags }),
  };
}
