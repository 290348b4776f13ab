import { slugPattern } from "../../shared/contract/common.ts";
import { ApiError } from "../../shared/errors.ts";

const MAX_LABEL_CHARACTERS = 64;
const MAX_NAME_CHARACTERS = 200;
const MAX_SLUG_CHARACTERS = 60;
/** Labels are the last segment of a path: these would lead elsewhere. */
const RESERVED_LABELS = new Set(["scopes", ".", ".."]);

/** The label of a key as it is stored; 400 when it is invalid. */
export function checkLabel(label: string): string {
  const checked = checkName("label", label, MAX_LABEL_CHARACTERS);
  if (RESERVED_LABELS.has(checked)) {
    throw new ApiError("invalidInput", `label: "${checked}" has a special meaning in paths; choose another`);
  }
  return checked;
}

/**
 * A name, reason or other short text as it is stored: no spaces around it, no control characters. 400 when it is
 * invalid.
 */
export function checkName(field: string, text: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const trimmed = text.trim();
  const characters = [...trimmed].length;
  if (characters < 1 || characters > maxCharacters) {
    throw new ApiError("invalidInput", `${field}: must have 1 to ${maxCharacters} characters (got ${characters})`);
  }
  if (/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(trimmed)) {
    throw new ApiError("invalidInput", `${field}: must not contain control characters`);
  }
  return trimmed;
}

/** The slug that the caller requested; 400 when it is invalid. */
export function checkSlug(slug: string): string {
  if (slug.length > MAX_SLUG_CHARACTERS || !slugPattern.test(slug)) {
    throw new ApiError(
      "invalidInput",
      `slug: must be lower-case letters, digits and single hyphens, at most ${MAX_SLUG_CHARACTERS} (got ${JSON.stringify(slug)})`,
    );
  }
  return slug;
}

/** Makes a slug from a name; `workspace` when the name has no letter or digit that a slug may have. */
export function toSlug(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_CHARACTERS - 6)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "workspace" : slug;
}
