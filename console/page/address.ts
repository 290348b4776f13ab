/** The address of a screen; each part of its path is encoded, and members without a value are left out. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(name, value);
  return `#/${path.map(encodeURIComponent).join("/")}${search.size === 0 ? "" : `?${search}`}`;
}
