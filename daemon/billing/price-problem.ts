import type { JsonSchema } from "../manifest/json-schema-walk.ts";
import type { Markup } from "./markup.ts";

/** A fault of a price that would leave a run without a price. */
export interface PriceProblem {
  /** Path below the endpoint, such as `["price", "variants", 1, "when"]`. */
  readonly path: readonly (string | number)[];
  readonly rule: "price" | "price-selector" | "price-coverage" | "price-maximum" | "markup";
  /** What is wrong, why, and how to fix it. */
  readonly message: string;
}

/** What a price is checked against; the input's schemas as they are served (shared schemas under `$defs`). */
export interface PriceSurroundings {
  readonly input: { readonly pathParams?: JsonSchema; readonly queryParams?: JsonSchema; readonly body?: JsonSchema };
  readonly usage?: UsageText | undefined;
  /** `caller`: replaces `usage.estimate.max` in quotes and holds. */
  readonly overrun?: "operator" | { readonly caller: QuantityText } | undefined;
  readonly markup?: Markup | undefined;
}

export type ExtractorText = string | number;

/** Several are multiplied. */
export type QuantityText = ExtractorText | readonly ExtractorText[];

/** What a manifest says about measuring, as far as prices need it. docs/manifest.md, "Usage". */
export interface UsageText {
  readonly count?: ExtractorText | undefined;
  readonly units?: ExtractorText | undefined;
  readonly estimate?:
    | {
        readonly count?: QuantityText | undefined;
        readonly units?: QuantityText | undefined;
        readonly max?: QuantityText | undefined;
      }
    | undefined;
}
