import { InvalidArgumentError } from "commander";
import type { HttpMethod } from "../../shared/contract/operation.ts";
import { collect } from "../flags/option-values.ts";

/** A request as it is written on a command line. */

export const methods: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** `Name: value`; names in lower case. */
export function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

/** Headers that callers cannot set: the key is never an argument, which others on this machine can read. */
const ownHeaders = new Set([
  "authorization",
  "host",
  "content-length",
  "content-type",
  "transfer-encoding",
  "connection",
]);

/** A header that the caller sets, collected with the earlier ones. */
export function collectHeader(value: string, before?: string[]): string[] {
  const [name, text] = splitHeader(value);
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(text)) {
    throw new InvalidArgumentError("It must be name: value, in visible ASCII characters.");
  }
  if (name === "authorization") {
    throw new InvalidArgumentError(
      "The key comes from MKT_API_KEY, --key-file or the profile, never from an argument.",
    );
  }
  if (ownHeaders.has(name)) throw new InvalidArgumentError(`${name} is set by mkt.`);
  return collect(value, before);
}

/** Upper or lower case. */
export function parseMethod(value: string): HttpMethod {
  const method = methods.find((known) => known === value.toUpperCase());
  if (method === undefined) throw new InvalidArgumentError(`It must be one of ${methods.join(", ")}.`);
  return method;
}

/** A path as it was typed, with its query; if a name is given twice, the last value counts. */
export interface RequestPath {
  readonly pathname: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Only a path of the current service, because the key is sent with it. */
export function parsePath(value: string): RequestPath {
  if (/^[a-z][a-z0-9+.-]*:/i.test(value) || value.startsWith("//")) {
    throw new InvalidArgumentError("It must be a path such as /v1/runs; --api-url says of which service.");
  }
  const [path = "", ...search] = (value.startsWith("/") ? value : `/${value}`).split("?");
  if (/[{}#\s\\]/.test(path))
    throw new InvalidArgumentError("It must be a path without braces, spaces, # and backslashes.");
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:$|\/)/i.test(path)) throw new InvalidArgumentError("It must not have . or .. in it.");
  return { pathname: path, query: Object.fromEntries(new URLSearchParams(search.join("?"))) };
}
