/** A schema as in a manifest: JSON Schema 2020-12, references only to `#/schemas/Name`. */
export type ManifestSchema = Readonly<Record<string, unknown>>;

export const SHARED = "#/schemas/";
export const ANY_JSON = "Any JSON.";
