import { z } from "zod";

/** A year, a month, a day, or one relative to today: "today", "+16 days", "-2 days". */
const PeriodEnd = z
  .union([z.string().regex(/^(?:\d{4}(?:-\d{2}(?:-\d{2})?)?|today|[+-]\d{1,5} days?)$/), z.int().min(1000).max(9999)])
  .transform(String);

/** What an endpoint has data about. Discovery compares it with the place and the time that a query names. */
export const Covers = z
  .strictObject({
    regions: z
      .union([
        z.literal("world"),
        z.array(z.string().regex(/^[A-Z]{2}$/, "two capital letters, such as US or GB")).min(1),
      ])
      .optional()
      .describe('The countries that it has data about, by ISO 3166 code, or "world".'),
    period: z
      .strictObject({
        from: PeriodEnd.optional().describe('The first day: a year, a month, a day, "today" or "-2 days".'),
        to: PeriodEnd.optional().describe('The last day: a year, a month, a day, "today" or "+16 days".'),
      })
      .optional()
      .describe("The time that its data is about; an end that is left out is open."),
    languages: z
      .array(z.string().regex(/^[a-z]{2,3}$/, "the code of a language, such as en"))
      .min(1)
      .optional()
      .describe("The languages that its texts are in, by ISO 639 code."),
  })
  .meta({ id: "ManifestCovers" });
export type Covers = z.infer<typeof Covers>;
