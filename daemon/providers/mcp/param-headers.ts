/**
 * Arguments of a tool that its server wants in headers, too, so that what stands in between need not read the body.
 * Source: specification 2026-07-28, "Streamable HTTP", "Custom Headers from Tool Parameters" and "Value Encoding".
 */

import { isRecord } from "../../../shared/is-record.ts";
import type { JsonObject } from "./protocol.ts";

/** One argument, and the header that repeats it. */
export interface ParamHeader {
  /** Names of properties, from the arguments down. */
  readonly path: readonly string[];
  /** In lower case, with the prefix that all of them have. */
  readonly header: string;
}

/** The prefix keeps a server from choosing any header that means something else. */
const PREFIX = "mcp-param-";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
const MOST_HEADERS = 100;

/** What a tool's `inputSchema` declares, as far as `properties` lead; anywhere else a declaration is void. */
export function paramHeadersOf(inputSchema: unknown): readonly ParamHeader[] {
  const found = new Map<string, ParamHeader>();
  const visit = (schema: unknown, path: readonly string[]): void => {
    if (!isRecord(schema) || found.size >= MOST_HEADERS) return;
    const name = schema["x-mcp-header"];
    if (path.length > 0 && typeof name === "string" && TOKEN.test(name)) {
      const header = PREFIX + name.toLowerCase();
      if (!found.has(header)) found.set(header, { path, header });
    }
    const { properties } = schema;
    if (isRecord(properties)) for (const [key, inner] of Object.entries(properties)) visit(inner, [...path, key]);
  };
  visit(inputSchema, []);
  return [...found.values()];
}

/** The headers for these arguments. One that is absent, null or not a plain value has none. */
export function renderParamHeaders(declared: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  return Object.fromEntries(
    declared.flatMap(({ path, header }) => {
      const text = toText(path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), args));
      return text === undefined ? [] : [[header, headerValue(text)]];
    }),
  );
}

function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** Plain ASCII as it is, anything else in Base64. */
export function headerValue(text: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
