import { ManifestPrice } from "../../daemon/manifest/manifest-price.ts";

/** Worked example B of the provider manifest: people found, by depth, before a markup of 10 %. */
export const leadfinderPrice = ManifestPrice.parse({
  type: "PER_UNIT_MATRIX",
  selectors: [{ label: "Depth", key: "depth", in: "body" }],
  variants: [
    { when: { depth: "email" }, label: "with e-mail", price: { type: "PER_RESULT", amount: 0.02, flatFee: 0.01 } },
    { when: { depth: "phone" }, label: "with phone", price: { type: "PER_RESULT", amount: 0.1, flatFee: 0.01 } },
  ],
  default: { type: "PER_RESULT", amount: 0.004, flatFee: 0.01 },
});

/** Its input schema and usage, as the catalog hands them to the checks. */
export const leadfinderInput = {
  body: {
    type: "object",
    additionalProperties: false,
    required: ["title"],
    properties: {
      title: { type: "string" },
      company: { type: "string" },
      depth: { enum: ["basic", "email", "phone"], default: "basic" },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
    },
  },
};
export const leadfinderUsage = {
  count: "$.people",
  estimate: { count: "input:body.limit", max: "input:body.limit" },
};
