import { createHash } from "node:crypto";
import type { Description } from "../../../daemon/import/documents/description.ts";
import type { ImportChoices, ImportedProvider } from "../../../daemon/import/conversion/imported-provider.ts";
import { ImportRefused } from "../../../daemon/import/conversion/imported-provider.ts";
import { findProblems } from "../../../daemon/import/composing/drop-unusable.ts";
import { convertOpenApi } from "../../../daemon/import/openapi/convert-openapi.ts";

export type Json = Readonly<Record<string, unknown>>;
// Tests look into manifests of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

export interface DocumentParts {
  readonly choices?: Partial<ImportChoices>;
  readonly ref?: string;
  readonly siblings?: Json;
  readonly refused?: Readonly<Record<string, string>>;
}

export function describeDocument(value: unknown, { ref, siblings, refused }: DocumentParts = {}): Description {
  return {
    ref: ref ?? "pets.yaml",
    sha256: createHash("sha256").update("pets").digest("hex"),
    value,
    siblings: new Map(Object.entries(siblings ?? {})),
    refused: new Map(Object.entries(refused ?? {})),
  };
}

export function convert(value: unknown, parts: DocumentParts = {}): ImportedProvider {
  const choices = { includeTags: [], includeOperations: [], allOperations: false, ...parts.choices };
  return convertOpenApi(describeDocument(value, parts), choices);
}

/** The manifest of a document, which the catalog's check must take as it is. */
export function manifestOf(value: unknown, parts: DocumentParts = {}): Loose {
  const { manifest } = convert(value, parts);
  const problems = findProblems(manifest).map(({ path, message }) => `${path}: ${message}`);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  // As a file holds it.
  return JSON.parse(JSON.stringify(manifest)) as Loose;
}

/** Why a document is refused. */
export function refusalOf(value: unknown, parts: DocumentParts = {}): ImportRefused {
  try {
    convert(value, parts);
  } catch (error) {
    if (error instanceof ImportRefused) return error;
    throw error;
  }
  throw new Error("the document was not refused");
}

/** A document of version 3.0 with these paths. */
export function openApi(paths: Json, more: Json = {}): Json {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "https://pets.example/v1" }],
    paths,
    ...more,
  };
}

/** A document with one operation, `GET /pets` unless told otherwise. */
export function oneOperation(operation: Json, { path = "/pets", method = "get", ...more }: Json = {}): Json {
  return openApi({ [String(path)]: { [String(method)]: { responses: {}, ...operation } } }, more);
}

/** The endpoint that comes of one operation. */
export function endpointOf(operation: Json, where: Json = {}, parts: DocumentParts = {}): Loose {
  const { endpoints } = manifestOf(oneOperation(operation, where), parts);
  return Object.values(endpoints)[0];
}

/** A body of JSON with this schema. */
export function jsonBody(schema: unknown): Json {
  return { requestBody: { required: true, content: { "application/json": { schema } } } };
}

/** An answer of JSON with this schema. */
export function jsonAnswer(schema: unknown, media: Json = {}): Json {
  return { responses: { 200: { description: "OK", content: { "application/json": { schema, ...media } } } } };
}
