import { ApiError } from "../../shared/errors.ts";
import type { Parsed } from "./parsed.ts";
import { spellReference, type TemplateReference } from "./template.ts";

/**
 * A request could not be built, and the caller did not cause it: a value of the provider or of its file is unusable.
 */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

/**
 * The error for a value that cannot be used where the manifest puts it: a 400 when it is the caller's, otherwise a
 * RequestError.
 */
export function unusableValue(reference: TemplateReference, why: string): ApiError | RequestError {
  if (reference.kind !== "input") return new RequestError(`${spellReference(reference)} ${why}`);
  return new ApiError("invalidInput", `${[reference.section, ...reference.path].join(".")} ${why}`);
}

/** Manifest text was checked at load; a parse error now is a bug here, reported with the text. */
export function requireParsed<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new RequestError(parsed.message);
  return parsed.value;
}
