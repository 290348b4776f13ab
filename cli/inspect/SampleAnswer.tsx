import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { useLook } from "../screen/look.ts";
import { foldJson } from "../screen/json/fold-json.ts";
import { Verbatim } from "../screen/Verbatim.tsx";

type Example = NonNullable<InspectResponse["examples"]>[number];

const limits = { items: 2, members: 12, depth: 4, lines: 18 };
/** The part of a line that is not text: its name, its indent, and how much was left out. */
const BESIDE_TEXT = 45;
const LEAST_TEXT = 20;

/** The answer to the example, as much of it as fits; with `--full` all of it. */
export function SampleAnswer({ example, full }: { example: Example; full: boolean }): ReactElement {
  const { columns } = useLook();
  const characters = Math.max(LEAST_TEXT, columns - BESIDE_TEXT);
  const lines = full
    ? JSON.stringify(example.output, null, 2).split("\n")
    : foldJson(example.output, { columns, characters, ...limits }).lines;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text>
        <Text bold>sample answer</Text>
        {example.name !== undefined && <Text dimColor>{`  ${example.name}`}</Text>}
      </Text>
      <Verbatim text={lines.join("\n")} />
    </Box>
  );
}
