import { z } from "zod";
import { extractor } from "./values.ts";

/**
 * How a list goes on over several calls. One of the three says what leads to the next page:
 *
 *   cursor + param   a value of the page, sent in a parameter
 *   counts + param   a parameter that counts the items, or the pages, before the next page
 *   next             the whole address, in the body or in a `Link` header (RFC 8288)
 */
export const Pages = z
  .strictObject({
    items: extractor.describe("Extractor of the list of one page."),
    cursor: extractor
      .optional()
      .describe("Extractor of the value that leads to the next page; none: this is the last page."),
    counts: z
      .enum(["items", "pages"])
      .optional()
      .describe("In place of cursor: param is an offset in items, or the number of a page."),
    next: extractor
      .optional()
      .describe("In place of cursor: extractor of the next page's address; header:link reads the one with rel=next."),
    param: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The parameter that carries the cursor, the offset or the number; in a body also a path, such as page.cursor.",
      ),
    in: z.enum(["query", "body"]).default("query").describe("Where param goes."),
    first: z
      .int()
      .min(0)
      .optional()
      .describe("With counts: the value of the first page when the caller gives none; 0 for items, 1 for pages."),
    size: extractor
      .optional()
      .describe("With counts: how many items a full page has. A shorter one is the last; without it, an empty one is."),
    more: extractor
      .optional()
      .describe("Extractor of what says whether there is more: false, 0, or nothing there: this is the last page."),
    max: z.int().min(1).max(1_000).default(20).describe("Pages that are read at most."),
  })
  .meta({ id: "ManifestPages" });
export type Pages = z.infer<typeof Pages>;
