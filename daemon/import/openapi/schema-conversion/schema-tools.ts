import type { ConversionMeter } from "../../conversion/conversion-meter.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import type { ReferenceResolver } from "../document/reference-resolver.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";

export interface SchemaTools {
  readonly resolver: ReferenceResolver;
  readonly meter: ConversionMeter;
  readonly notes: ImportNotes;
  /** In 3.1 members beside a `$ref` have their own meaning; before that, only annotations are kept. */
  readonly siblingsCount: boolean;
}

/** A schema under construction: each function adds its keywords. */
export type SchemaDraft = Record<string, unknown>;

/** Converts a nested schema. */
export type ConvertInner = (value: unknown) => ManifestSchema;
