import type { RunRequest } from "../../shared/contract/runs.ts";

/** The request that the arguments of `quote` and `run` make. */
export function toRunRequest({
  provider,
  endpoint,
  input,
  maxCost,
  maxPages,
  tags,
  maxAge,
}: {
  provider: string;
  endpoint: string;
  input: Record<string, unknown>;
  maxCost?: number | undefined;
  maxPages?: number | undefined;
  tags?: Record<string, string> | undefined;
  maxAge?: number | undefined;
}): RunRequest {
  return {
    provider,
    endpoint,
    input,
    ...(maxCost !== undefined && { maxCost: { value: maxCost, currency: "USD" } }),
    ...(maxPages !== undefined && { maxPages }),
    ...(tags !== undefined && { tags }),
    ...(maxAge !== undefined && { maxAge }),
  };
}
