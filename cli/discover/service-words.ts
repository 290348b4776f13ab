import type { SearchServiceUse } from "../../shared/contract/discovery.ts";

const NAMES: Readonly<Record<SearchServiceUse["name"], string>> = {
  embeddings: "The embedding service",
  rerank: "The rerank service",
  rephrase: "The model that rephrases",
};

/** `The rerank service was not used: it did not answer in time`, for callers who asked for an explanation. */
export function serviceWords({ name, used, reason }: SearchServiceUse): string {
  if (used) return `${NAMES[name]} was used for this.`;
  return `${NAMES[name]} was not used${reason === undefined ? "" : `: ${reason}`}.`;
}
