/**
 * All values of a header out of a head as it came, names and values in turn: parsed headers hide what was sent twice. `name`
 * in lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push((rawHeaders[index + 1] ?? "").trim());
  }
  return values;
}

/** The first of these names that came more than once. Two readers could take such a head for two different requests. */
export function findRepeated(rawHeaders: readonly string[], names: readonly string[]): string | undefined {
  return names.find((name) => headerValues(rawHeaders, name).length > 1);
}

/** Headers of one request. Browsers behind proxies send 30 to 50; Apache and Tomcat take 100. */
export const MAX_HEADERS = 200;

export function hasTooManyHeaders(rawHeaders: readonly string[]): boolean {
  return rawHeaders.length > 2 * MAX_HEADERS;
}

/**
 * For `server.maxHeadersCount`. Node hands on the first 2,000 headers and hides the rest, which no check sees then; without a
 * limit of its own it hides none, and the bytes of a head bound their number.
 */
export const NO_HIDDEN_HEADERS = 0;
