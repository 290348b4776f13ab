import type { ProviderAnswer } from "../../daemon/providers/protocol/provider.ts";

/** An empty answer of success, for tests that need one; members may be replaced. */
export function makeAnswer(members: Partial<ProviderAnswer> = {}): ProviderAnswer {
  return {
    kind: "answer",
    httpStatus: 200,
    success: true,
    output: {},
    body: {},
    measured: {},
    notes: [],
    attempts: [],
    ...members,
  };
}
