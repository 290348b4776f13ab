import { z } from "zod";
import { Manifest, MANIFEST_VERSION } from "./manifest.ts";

/** The schema's identifier; a URN and not an address, because editors read it from a file. */
export const MANIFEST_SCHEMA_ID = `urn:mkt:provider-manifest:${MANIFEST_VERSION}`;

/**
 * JSON Schema (2020-12) of a provider's file as its author writes it, for editors: members with a default are optional.
 * It covers only shapes; `mkt catalog check` checks the rules between the parts of a file.
 */
export function manifestJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(Manifest, { target: "draft-2020-12", io: "input" });
  return {
    $schema,
    $id: MANIFEST_SCHEMA_ID,
    title: `mkt provider manifest, version ${MANIFEST_VERSION}`,
    description: "One provider of a marketplace: how it is called, what it answers and what that costs.",
    ...schema,
  };
}
