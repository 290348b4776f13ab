import { z } from "zod";
import { findNearMisses } from "../near-misses.ts";

/** Limits for the caller's own names in a message. */
const MAX_NAMES = 10;
const MAX_NAME_CHARACTERS = 60;

/**
 * An object that refuses unknown members and names the near miss: `scope` instead of `scopes` would otherwise be
 * ignored, and grant everything. For bodies that grant rights or spend money. docs/contract.md, "Closed bodies".
 */
export function closedObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  /** The message for a value that is not such an object. */
  noObject?: (input: unknown) => string,
) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code, keys, input }) => {
      if (code === "unrecognized_keys") return unknownMembers(keys as string[], names);
      return code === "invalid_type" ? noObject?.(input) : undefined;
    },
  });
}

/** `has unknown members: scope; did you mean "scopes"?`, or the list of known members when none is similar. */
export function unknownMembers(unknown: readonly string[], known: readonly string[]): string {
  const near = [...new Set(unknown.slice(0, MAX_NAMES).flatMap((name) => findNearMisses(name, known, 1)))].map(
    (name) => `"${name}"`,
  );
  const advice =
    near.length > 0
      ? `did you mean ${near.join(", ")}?`
      : known.length > 0
        ? `it takes ${known.join(", ")}`
        : "it takes none";
  return `has unknown members: ${listNames(unknown)}; ${advice}`;
}

/** `a, b and 3 more`: names that the caller chose, of which there may be any number. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(shortName).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

function shortName(name: string): string {
  return name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;
}
