import { z } from "zod";
import { Manifest, MANIFEST_VERSION } from "./manifest.ts";

/** What names the schema; a name and no address, because editors read it from a file. */
export const MANIFEST_SCHEMA_ID = `urn:mkt:provider-manifest:${MANIFEST_VERSION}`;

/**
 * JSON Schema (2020-12) of a provider's file as its author writes it, for editors: what has a default may be left out. It
 * knows shapes alone; what must hold between the parts of a file is told by `mkt catalog check`.
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
