import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/canonical-json.ts";
import { type OperationPrints, PRINT_LENGTH } from "../documents/operation-prints.ts";
import type { MarketListing } from "./read-market.ts";

/** The endpoints of a provider of a market by path, each with a short hash of all that the market says of it. */
export function printMarket({ endpoints }: Pick<MarketListing, "endpoints">): OperationPrints {
  return Object.fromEntries(
    endpoints.map((endpoint) => [
      String(endpoint["endpoint"]),
      createHash("sha256").update(canonicalJson(endpoint)).digest("hex").slice(0, PRINT_LENGTH),
    ]),
  );
}
