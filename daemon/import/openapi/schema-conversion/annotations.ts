import { memberOf } from "../../../../shared/member-of.ts";
import { cleanLine, cleanText } from "../../conversion/clean-text.ts";
import { listOf, type Members } from "../../conversion/members.ts";
import { isSmallData } from "../schemas/small-data.ts";
import { toType } from "./schema-types.ts";

const MAX_DESCRIPTION = 500;
const MAX_EXAMPLE_CHARACTERS = 300;
const MAX_SHOWN = 200;

const ANNOTATIONS: ReadonlySet<string> = new Set(
  "description title default vendorDefault example examples deprecated nullable x-nullable readOnly writeOnly summary".split(
    " ",
  ),
);

/** Whether these members only describe a value, without restricting it. */
export function isOnlyWords(raw: Members): boolean {
  return Object.keys(raw).every((word) => ANNOTATIONS.has(word) || word.startsWith("x-"));
}

/** Annotations of the value, which every version allows beside a reference. */
export function annotationsOf(raw: Members, type: unknown): Record<string, unknown> {
  const words: Record<string, unknown> = {};
  const description = cleanText(memberOf(raw, "description") ?? memberOf(raw, "title"), MAX_DESCRIPTION);
  if (description !== "") words["description"] = description;
  const standard = vendorDefaultOf(raw, type);
  if (standard !== undefined) words["vendorDefault"] = standard;
  const examples = [memberOf(raw, "example"), ...listOf(raw, "examples")]
    .filter((value) => value !== undefined && value !== null && isSmallData(value, MAX_EXAMPLE_CHARACTERS))
    .slice(0, 1);
  if (examples.length > 0) words["examples"] = examples;
  if (memberOf(raw, "deprecated") === true) words["deprecated"] = true;
  return words;
}

/**
 * The document's default of a field, for people to read: in OpenAPI it says what the vendor does when nothing is sent.
 * It is never sent, because documents write examples and prose there. Undefined when there is none.
 */
function vendorDefaultOf(raw: Members, type: unknown): string | number | boolean | undefined {
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
