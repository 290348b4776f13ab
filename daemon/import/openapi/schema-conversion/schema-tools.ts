import type { ConversionMeter } from "../../conversion/conversion-meter.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import type { ReferenceResolver } from "../document/reference-resolver.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";

export interface SchemaTools {
  readonly resolver: ReferenceResolver;
  readonly meter: ConversionMeter;
  readonly notes: ImportNotes;
  /** 3.1 gives members beside a `$ref` their own meaning; before, only words about the value are kept. */
  readonly siblingsCount: boolean;
}

/** A schema that is being written: each job adds its own words. */
export type SchemaDraft = Record<string, unknown>;

/** Converts a schema that stands in another one. */
export type ConvertInner = (value: unknown) => ManifestSchema;
