import { Box, Text } from "ink";
import type { ReactElement, ReactNode } from "react";

/**
 * One line of text that goes on past the edge instead of being broken there: a terminal wraps it on the screen, and it
 * is copied whole. `length` is that of the text in characters.
 */
export function Unbroken({ length, children }: { length: number; children: ReactNode }): ReactElement {
  // Wide characters take two columns; what is too wide is trimmed.
  return (
    <Box flexShrink={0} width={2 * length + 4}>
      <Text>{children}</Text>
    </Box>
  );
}
