import { resolveOrExplain } from "./request-path.ts";
import { requireParsed } from "../../manifest/request-error.ts";
import { parseTemplate, type TemplateScope, toText } from "../../manifest/template.ts";
import { isRecord } from "../../../shared/is-record.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Renders a value of the file with its templates filled in. */
type Fill<Value = unknown> = (scope: TemplateScope) => Value;

/** The fixed part of a body or query with the templates in its strings parsed, at every depth. */
export function compileFixed(fixed: Fields): Fill<Fields> {
  const fills = Object.entries(fixed).map(([name, value]) => [name, compileValue(value)] as const);
  return (scope) => Object.fromEntries(fills.map(([name, fill]) => [name, fill(scope)]));
}

function compileValue(value: unknown): Fill {
  if (typeof value === "string") return compileText(value);
  if (isRecord(value)) return compileFixed(value);
  if (!Array.isArray(value)) return () => value;
  const fills = value.map(compileValue);
  return (scope) => fills.map((fill) => fill(scope));
}

/** A text with only one reference keeps the type of its value, so a number stays a number. */
function compileText(text: string): Fill {
  const parts = requireParsed(parseTemplate(text));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only.kind !== "text") return (scope) => resolveOrExplain(only, scope);
  return (scope) =>
    parts.map((part) => (part.kind === "text" ? part.text : toText(resolveOrExplain(part, scope)))).join("");
}

/**
 * The caller's fields override the fixed ones, object by object; lists and scalars are replaced. Source:
 * docs/manifest.md, "Requests".
 */
export function mergeOver(fixed: Fields, caller: Fields): Fields {
  const [first] = Object.keys(caller);
  if (first === undefined) return fixed;
  const merged = new Map(Object.entries(fixed));
  for (const [name, value] of Object.entries(caller)) {
    if (value === undefined) continue;
    const under = merged.get(name);
    merged.set(name, isRecord(under) && isRecord(value) ? mergeOver(under, value) : value);
  }
  return Object.fromEntries(merged);
}
