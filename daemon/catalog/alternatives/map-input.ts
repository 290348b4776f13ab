import type { RunInput } from "../../../shared/contract/runs.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { INPUT_SECTIONS } from "../../manifest/input-sections.ts";
import { parseTemplate, renderTemplate, resolveReference, UnresolvedReferenceError } from "../../manifest/template.ts";
import type { AlternativeMember } from "../entries/catalog-entry.ts";

/**
 * The input of a member, made from the checked input of its route; without a map it is the same. A text that is nothing but
 * one reference keeps the type of its value, and a field whose reference has no value is left out. docs/routes.md, "Maps".
 */
export function mapInput({ input: map }: Pick<AlternativeMember, "input">, input: RunInput): RunInput {
  if (map === undefined) return input;
  const sections = INPUT_SECTIONS.flatMap((section) => {
    const fields = map[section];
    return fields === undefined ? [] : [[section, fillFields(fields, input)] as const];
  });
  return Object.fromEntries(sections);
}

function fillFields(fields: Readonly<Record<string, unknown>>, input: RunInput): Record<string, unknown> {
  const filled = Object.entries(fields).map(([name, value]) => [name, fill(value, input)] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function fill(value: unknown, input: RunInput): unknown {
  if (typeof value === "string") return fillText(value, input);
  if (Array.isArray(value)) return value.map((item) => fill(item, input)).filter((item) => item !== undefined);
  return isRecord(value) ? fillFields(value, input) : value;
}

function fillText(text: string, input: RunInput): unknown {
  const parsed = parseTemplate(text);
  // Checked when the file was read.
  if (!parsed.ok) throw new Error(parsed.message);
  const [only] = parsed.value;
  const scope = { secrets: {}, input, runId: "" };
  try {
    const isOne = parsed.value.length === 1 && only !== undefined && only.kind !== "text";
    return isOne ? resolveReference(only, scope) : renderTemplate(parsed.value, scope);
  } catch (error) {
    if (error instanceof UnresolvedReferenceError) return undefined;
    throw error;
  }
}
