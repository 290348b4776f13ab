import { errorText } from "../../shared/error-text.ts";
import { readField } from "./read-field.ts";
import { type InputValues, inputParts, type SchemaField, typedOf } from "./schema-fields.ts";

/** What is typed, by the keys of the fields. */
export type Typed = Readonly<Record<string, string>>;

export interface ReadInput {
  readonly input: Readonly<Record<string, Record<string, unknown>>>;
  /** What is wrong, by the keys of the fields; empty when the input can be sent. */
  readonly problems: Readonly<Record<string, string>>;
}

/** A field's key among those of all parts. */
export function fieldKey({ part, name, place }: Pick<SchemaField, "part" | "name" | "place">): string {
  return place === "member" ? `${part}.${name}` : `${part} ${place}`;
}

/** An input as it would be typed into these fields by a reader with this decimal sign. */
export function typedInput(fields: readonly SchemaField[], start: InputValues, decimalSign?: string): Typed {
  const names = new Set(fields.map(fieldKey));
  return Object.fromEntries(fields.map((field) => [fieldKey(field), typedOf(field, start, names, decimalSign)]));
}

/** The input that is typed; what cannot be read is left out of it. */
export function readInput(fields: readonly SchemaField[], typed: Typed, decimalSign?: string): ReadInput {
  const problems: Record<string, string> = {};
  const entries = inputParts.flatMap((part) => {
    const members: Record<string, unknown> = {};
    for (const field of fields.filter((one) => one.part === part)) {
      try {
        const value = readField(field, typed[fieldKey(field)] ?? "", decimalSign);
        if (value === undefined) continue;
        // By definition and not by assignment: a member may be called __proto__.
        const given = field.place === "member" ? [[field.name, value] as const] : Object.entries(value as object);
        for (const [name, one] of given) {
          Object.defineProperty(members, name, { value: one, enumerable: true, configurable: true, writable: true });
        }
      } catch (error) {
        problems[fieldKey(field)] = errorText(error);
      }
    }
    return Object.keys(members).length === 0 ? [] : [[part, members] as const];
  });
  return { input: Object.fromEntries(entries), problems };
}
