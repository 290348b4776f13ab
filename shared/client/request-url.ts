/**
 * The URL of one request. Path parameters are percent-encoded (slashes too); undefined query members are left out,
 * lists are joined with commas. Throws TypeError when a path parameter is missing or empty, or would be a dot segment,
 * which URL parsers resolve away.
 */
export function requestUrl(
  baseUrl: string,
  path: string,
  params: Record<string, unknown> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    const text = value === undefined || value === null ? "" : String(value);
    if (text === "" || text === "." || text === "..") throw new TypeError(`"${text}" cannot be the ${name} in ${path}`);
    return encodeURIComponent(text);
  });

  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const suffix = search.size === 0 ? "" : `?${search}`;
  return `${baseUrl.replace(/\/+$/, "")}${filled}${suffix}`;
}
