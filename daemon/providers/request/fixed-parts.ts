import { resolveOrExplain } from "./request-path.ts";
import { requireParsed } from "../../manifest/request-error.ts";
import { parseTemplate, type TemplateScope, toText } from "../../manifest/template.ts";
import { isRecord } from "../../../shared/is-record.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fixed part of a body or query with the templates in its strings filled in, at every depth. */
export function renderFixed(fixed: Fields, scope: TemplateScope): Fields {
  return Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, renderValue(value, scope)]));
}

function renderValue(value: unknown, scope: TemplateScope): unknown {
  if (typeof value === "string") return renderText(value, scope);
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope));
  if (isRecord(value)) return renderFixed(value, scope);
  return value;
}

/** A text that is nothing but one reference keeps the type of its value, so a number stays a number. */
function renderText(text: string, scope: TemplateScope): unknown {
  const parts = requireParsed(parseTemplate(text));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only.kind !== "text") return resolveOrExplain(only, scope);
  return parts.map((part) => (part.kind === "text" ? part.text : toText(resolveOrExplain(part, scope)))).join("");
}

/** The caller's fields over the fixed ones, object by object; lists and scalars replace. Source: manifest, "Call". */
export function mergeOver(fixed: Fields, caller: Fields): Fields {
  const merged = new Map(Object.entries(fixed));
  for (const [name, value] of Object.entries(caller)) {
    if (value === undefined) continue;
    const under = merged.get(name);
    merged.set(name, isRecord(under) && isRecord(value) ? mergeOver(under, value) : value);
  }
  return Object.fromEntries(merged);
}
