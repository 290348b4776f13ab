import { z } from "zod";

/** Micro-dollars as lines carry them: the same whole number on the disk, and `MicroDollars` for everybody who reads it. */
export const RecordedAmount = z.int().brand<"MicroDollars">();

/** As `RecordedAmount`, 0 or more. */
export const RecordedAmountFromZero = z.int().nonnegative().brand<"MicroDollars">();

/** As `RecordedAmount`, above 0. */
export const RecordedAmountAboveZero = z.int().positive().brand<"MicroDollars">();
