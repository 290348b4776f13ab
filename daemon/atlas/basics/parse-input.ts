import type { z } from "zod";
import { AtlasError } from "./atlas-error.ts";

/** Checks a value; throws a 422 that names each wrong field. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`,
  );
  throw new AtlasError(422, `${complaints.join("; ")}.`);
}
