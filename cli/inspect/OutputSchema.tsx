import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { acceptedValues, isSchema, memberSchemas, type JsonSchema } from "../input/json-schema-types.ts";
import { Prose } from "../screen/Prose.tsx";

interface OutputSchemaProps {
  readonly schema: JsonSchema | undefined;
  readonly full: boolean;
}

/** What a run gives: in a line, and with `--full` the whole schema. */
export function OutputSchema({ schema, full }: OutputSchemaProps): ReactElement | null {
  if (schema === undefined) return null;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold>output</Text>
      {full ? (
        <Text>{JSON.stringify(schema, null, 2)}</Text>
      ) : (
        <Prose text={`${shortly(schema)} (its whole schema: --full)`} indent={2} />
      )}
    </Box>
  );
}

/** `array of object: name, code` */
function shortly(schema: JsonSchema): string {
  const items = schema["items"];
  const type = [...acceptedValues(schema, schema).types].join("|") || "any";
  if (type === "array" && isSchema(items)) return `array of ${shortly(items)}`;
  const members = [...memberSchemas(schema).keys()].join(", ");
  return members === "" ? type : `${type}: ${members}`;
}
