import type { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { AtlasTables } from "../tables/atlas-tables.ts";
import type { SlicedWork } from "../basics/slices.ts";

/**
 * A computation that takes seconds and runs as a job.
 *
 * `input` settles every default (the current year, say), and its output is accepted as its input: a job's settled input
 * is all that is needed to do the work again.
 */
export interface ReportKind<Input extends z.ZodType = z.ZodType> {
  readonly input: (clock: Clock) => Input;
  /** Checks what the schema cannot, such as names of zones, and prepares the work; throws `AtlasError`. */
  prepare(input: z.output<Input>, tables: AtlasTables): Promise<SlicedWork<unknown>>;
}

/** Keeps the type of the input between `input` and `prepare`, then erases it: jobs treat all kinds alike. */
export function reportKind<Input extends z.ZodType>(kind: ReportKind<Input>): ReportKind {
  return {
    input: kind.input,
    prepare: (input, tables) => kind.prepare(input as z.output<Input>, tables),
  };
}
