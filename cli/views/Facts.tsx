import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { Unbroken } from "./Unbroken.tsx";

export type Fact = readonly [name: string, value: string | undefined];

/** Names and values below each other; a fact without a value is left out. */
export function Facts({ facts }: { facts: readonly Fact[] }): ReactElement {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined && fact[1] !== "");
  const nameWidth = Math.max(0, ...known.map(([name]) => name.length));
  return (
    <Box flexDirection="column">
      {known.map(([name, value]) => (
        <Box key={name} columnGap={2}>
          <Box flexShrink={0} width={nameWidth}>
            <Text dimColor>{name}</Text>
          </Box>
          <Value text={value.replace(/\s+/g, " ").trim()} />
        </Box>
      ))}
    </Box>
  );
}

// An address or a path is of use only whole.
function Value({ text }: { text: string }): ReactElement {
  return text.includes(" ") ? <Text>{text}</Text> : <Unbroken length={text.length}>{text}</Unbroken>;
}
