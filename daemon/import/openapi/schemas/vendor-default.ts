import { cleanLine } from "../../conversion/clean-text.ts";
import { memberOf, type Members } from "../../conversion/members.ts";
import { toType } from "./schema-types.ts";
import { isSmallData } from "./small-data.ts";

const MAX_SHOWN = 200;

/**
 * What a document calls the default of a field, for people to read: OpenAPI means what the vendor does when nothing is
 * sent. It is never sent: documents write examples and prose there. Undefined where there is none.
 */
export function vendorDefaultOf(raw: Members, type: unknown): string | number | boolean | undefined {
  const written = memberOf(raw, "default") ?? memberOf(raw, "vendorDefault");
  if (written === undefined || written === null || !isSmallData(written)) return undefined;
  const value = toFlag(toType(written, type), type);
  if (typeof value === "number" || typeof value === "boolean") return value;
  const text = cleanLine(typeof value === "string" ? value : JSON.stringify(value), MAX_SHOWN);
  return text === "" ? undefined : text;
}

function toFlag(value: unknown, type: unknown): unknown {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  const isFlag = types.includes("boolean") && (value === "true" || value === "false");
  return isFlag ? value === "true" : value;
}
