/**
 * All values of a header from a raw head, with names and values in alternation: parsed headers hide duplicates. `name`
 * in lower case.
 */
function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push((rawHeaders[index + 1] ?? "").trim());
  }
  return values;
}

/**
 * The first of these names that occurs more than once. Two readers could interpret such a head as two different
 * requests.
 */
export function findRepeated(rawHeaders: readonly string[], names: readonly string[]): string | undefined {
  return names.find((name) => headerValues(rawHeaders, name).length > 1);
}

/** Headers of one request. Browsers behind proxies send 30 to 50; Apache and Tomcat take 100. */
export const MAX_HEADERS = 200;

export function hasTooManyHeaders(rawHeaders: readonly string[]): boolean {
  return rawHeaders.length > 2 * MAX_HEADERS;
}

/**
 * For `server.maxHeadersCount`. By default Node passes on the first 2,000 headers and hides the rest from every check;
 * without a limit it hides none, and the size limit of a head bounds their number.
 */
export const NO_HIDDEN_HEADERS = 0;
