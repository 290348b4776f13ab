import type { Sourced } from "./read-settings.ts";

const versionPattern = /^(\d+)\.(\d+)\.\d+(?:[-+][\w.+-]{1,40})?$/;

/**
 * What to say when the service is of another version (header `x-mkt-version`) than this program, with the command that
 * makes them equal; undefined when only the last number differs, or when it sends no version.
 */
export function versionNote(
  own: string,
  service: string | undefined,
  baseUrl: Sourced,
): { differ: string; mend: string } | undefined {
  if (service === undefined || !versionPattern.test(service) || lineOf(own) === lineOf(service)) return undefined;
  const differ = `The service is mkt ${service}, and this is mkt ${own}: each may have features that the other does not know.`;
  const mend =
    baseUrl.from === "the local daemon" ? "mkt daemon stop && mkt daemon start" : `npm install --global mkt@${service}`;
  return { differ, mend };
}

/** The part of a version that determines its features. */
function lineOf(version: string): string {
  const [, major, minor] = versionPattern.exec(version) ?? [];
  return `${major}.${minor}`;
}
