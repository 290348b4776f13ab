import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { type InputField, inputFields } from "./field-facts.ts";
import type { JsonSchema } from "../input/json-schema-types.ts";
import { fieldWords } from "./field-words.ts";
import { Facts } from "../screen/Facts.tsx";

interface InputFieldsProps {
  readonly title: string;
  readonly schema: JsonSchema | undefined;
  readonly full: boolean;
}

/** How deep members of members are shown, and how many fields. */
const DEPTH = 1;
const MOST_FIELDS = 40;
const FULL_DEPTH = 6;

/** The fields of one part of an input: what each takes, its limits and default, what it is about. Nothing is cut. */
export function InputFields({ title, schema, full }: InputFieldsProps): ReactElement | null {
  if (schema === undefined) return null;
  const fields = inputFields(schema, full ? FULL_DEPTH : DEPTH);
  if (fields.length === 0) return null;
  const shown = full ? fields : leadingFields(fields);
  const left = fields.length - shown.length;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold>{title}</Text>
      <Facts strong facts={shown.map((field) => [field.name, fieldWords(field, full)] as const)} />
      {left > 0 && <Text dimColor>{`… ${left} more: --full`}</Text>}
    </Box>
  );
}

/** If there are too many, required fields come before the rest. */
function leadingFields(fields: readonly InputField[]): readonly InputField[] {
  if (fields.length <= MOST_FIELDS) return fields;
  const needed = fields.filter((field) => field.required);
  const kept = new Set([...needed, ...fields].slice(0, Math.max(MOST_FIELDS, needed.length)));
  return fields.filter((field) => kept.has(field));
}
