import type { Money } from "../../shared/contract/common.ts";

/** What narrows a discovery, as commander reads it. */
export interface DiscoverFilterFlags {
  also?: string[];
  limit?: number;
  minScore?: number;
  category?: string;
  provider?: string[];
  tag?: string[];
  maxPrice?: Money;
  mode?: "sync" | "async";
  includeUnavailable?: true;
  explain?: true;
}
