/** The origin of a URL without `${…}` in its beginning; `builtin:…` is its own origin. */
export function originOf(url: string): string | undefined {
  if (url.startsWith("builtin:")) return url;
  const beginning = /^https?:\/\/[^/?#]*/.exec(url)?.[0];
  if (beginning === undefined || beginning.includes("${")) return undefined;
  try {
    return new URL(beginning).origin;
  } catch {
    return undefined;
  }
}
