import { z } from "zod";
import { extractor, quantity } from "./values.ts";

export const Usage = z
  .strictObject({
    count: extractor.optional().describe("How many results an answer has: a list counts by its length."),
    units: extractor
      .optional()
      .describe(
        "How many tokens, characters, seconds or images it took: a number, a list by its length, a text of the input by " +
          "its characters (Unicode code points); a text of the answer too where the price is by the character, else by " +
          "the number it says, as a header always is.",
      ),
    cost: z
      .strictObject({
        from: extractor.describe("Extractor, of the body or of a header."),
        unit: z.enum(["USD", "CENT", "MICRO_DOLLAR"]).optional().describe("What the number is; USD when left out."),
        usdPerUnit: z
          .number()
          .positive()
          .optional()
          .describe("What one of the provider's own units (a credit) is worth in USD."),
      })
      .optional()
      .describe("What the provider says that the call cost."),
    estimate: z
      .strictObject({
        count: quantity
          .optional()
          .describe("For the quote: an input, a number, or a list that is multiplied. A text counts its characters."),
        units: quantity.optional().describe("For the quote, of a price by the unit."),
        max: quantity
          .optional()
          .describe("For the hold: an input whose schema has a maximum, a number, or a list that is multiplied."),
      })
      .optional()
      .describe("Before the call, from its input: what it will probably count, and the most it may."),
  })
  .meta({ id: "ManifestUsage" });
export type Usage = z.infer<typeof Usage>;
