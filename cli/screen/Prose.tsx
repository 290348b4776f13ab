import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { breakLines } from "./break-lines.ts";
import { useLook } from "./look.ts";
import { oneLine } from "./one-line.ts";

interface ProseProps {
  readonly text: string;
  /** Columns before each line. */
  readonly indent?: number;
}

/** Running text, broken between words. */
export function Prose({ text, indent = 0 }: ProseProps): ReactElement {
  const { columns } = useLook();
  return (
    <Box paddingLeft={indent}>
      <Text>{breakLines(oneLine(text), columns - indent).join("\n")}</Text>
    </Box>
  );
}
