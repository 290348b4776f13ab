import type { RunInput } from "../../shared/contract/runs.ts";
import type { EndpointInputSchemas } from "../catalog/entries/catalog-entry.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { NextPage } from "./next-page.ts";
import { isDeclared, withPageField } from "./page-field.ts";

/** A cursor is kept with its run and told to the caller; longer ones belong to no well-meaning provider. */
const MOST_CHARACTERS = 8_192;

/**
 * The input with which a caller goes on after the pages that were read; undefined where the endpoint does not take it
 * from callers, and where the provider's value has a secret in it.
 */
export function nextInput(schemas: EndpointInputSchemas, next: NextPage, redactor: Redactor): RunInput | undefined {
  if (next.kind === "address") return undefined;
  if (!isDeclared(next, schemas)) return undefined;
  if (String(next.value).length > MOST_CHARACTERS) return undefined;
  if (redactor.text(String(next.value)) !== String(next.value)) return undefined;
  return withPageField({}, next, schemas) as RunInput;
}
