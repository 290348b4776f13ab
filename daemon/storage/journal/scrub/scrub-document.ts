import { z } from "zod";

/** The document `<data>/docs/scrub.json`: how far the look at what lies on the disk has come, and what it found. */
export const ScrubDocument = z.strictObject({
  /** The segment that is next; a round begins with 1. */
  next: z.int().min(1).default(1),
  /** When the last whole round ended; ISO 8601. */
  endedAt: z.iso.datetime().optional(),
  damage: z
    .array(
      z.strictObject({
        /** By whose look it was found, and goes again; 0: of no segment. */
        segment: z.int().min(0),
        file: z.string(),
        offset: z.int().min(0).exactOptional(),
        why: z.string(),
        foundAt: z.iso.datetime(),
      }),
    )
    .default([]),
});
export type ScrubDocument = z.infer<typeof ScrubDocument>;

/** A document of the document store, as far as this needs it. */
export interface ScrubFile {
  readonly data: ScrubDocument;
  update(change: (data: ScrubDocument) => void): Promise<void>;
}
