import type { InspectResponse } from "../../shared/contract/inspect.ts";

/** The example that a screen is about: the first that has an answer, else the first. */
export function shownExample({
  examples = [],
}: Pick<InspectResponse, "examples">): NonNullable<InspectResponse["examples"]>[number] | undefined {
  return examples.find(({ output }) => output !== undefined) ?? examples[0];
}
