import { z } from "zod";

/** Slugs of providers, categories and resources. */
export const Slug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "lower-case letters, digits and single hyphens");

/** Of the category tree. */
export const categoryPath = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/, "a path such as top/leaf");

export const webUrl = z.url({ protocol: /^https?$/ });
/** Names that a file gives to its own parts: secrets, schemas, values that are kept. */
export const partName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, "a name of letters, digits, _ and -");

/** A text with `${…}` in it; `template.ts` reads it. */
export const template = z.string();
export const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "the name of a header");

/** The place of a value in an answer or an input, or a number itself; `extract.ts` reads it. */
export const extractor = z.union([z.string().min(1), z.number()]);

export const jsonSchema = z.record(z.string(), z.unknown());
export const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** A status, or a class of statuses. */
export const answerStatus = z.union([z.int().min(100).max(599), z.enum(["2xx", "3xx", "4xx", "5xx"])]);

/** Several factors are multiplied. */
export const quantity = z.union([extractor, z.array(extractor)]);
