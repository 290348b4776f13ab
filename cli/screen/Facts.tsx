import { Box, Text } from "ink";
import type { ReactElement } from "react";
import stringWidth from "string-width";
import { breakLines } from "./break-lines.ts";
import { useLook } from "./look.ts";
import { oneLine } from "./one-line.ts";
import { Unbroken } from "./Unbroken.tsx";

export type Fact = readonly [name: string, value: string | undefined, color?: string | undefined];

type KnownFact = readonly [name: string, value: string, color?: string | undefined];

const GAP = 2;
/** Values get no less than this beside their names. */
const LEAST_VALUE = 20;

interface FactsProps {
  readonly facts: readonly Fact[];
  /** Whether the names are what is looked for, rather than what they stand before. */
  readonly strong?: boolean;
}

/** Names and values below each other, in two columns where there is room; a fact without a value is left out, one without a name goes on what stands before it. */
export function Facts({ facts, strong = false }: FactsProps): ReactElement {
  const { columns, linear } = useLook();
  const known = facts.filter((fact): fact is KnownFact => fact[1] !== undefined && fact[1] !== "");
  const nameWidth = Math.max(0, ...known.map(([name]) => stringWidth(name)));
  const inColumns = !linear && columns - nameWidth >= LEAST_VALUE;
  return (
    <Box flexDirection="column">
      {known.map(([name, value, color], index) =>
        inColumns ? (
          <Box key={`${index} ${name}`} columnGap={GAP}>
            <Box flexShrink={0} width={nameWidth}>
              <Text bold={strong} dimColor={!strong}>
                {name}
              </Text>
            </Box>
            <Value text={oneLine(value)} color={color} columns={columns - nameWidth - GAP} />
          </Box>
        ) : (
          <Value
            key={`${index} ${name}`}
            label={name === "" ? "" : `${name}: `}
            strong={strong}
            text={oneLine(value)}
            color={color}
            columns={columns}
          />
        ),
      )}
    </Box>
  );
}

interface ValueProps {
  readonly label?: string;
  readonly strong?: boolean;
  readonly text: string;
  readonly color: string | undefined;
  readonly columns: number;
}

function Value({ label = "", strong = false, text, color, columns }: ValueProps): ReactElement {
  // An address or a path is of use only whole.
  const isWhole = !text.includes(" ");
  const told = isWhole ? label + text : breakLines(label + text, columns).join("\n");
  const shown = (
    <Text>
      {label !== "" && (
        <Text bold={strong} dimColor={!strong}>
          {told.slice(0, label.length)}
        </Text>
      )}
      <Text {...(color !== undefined && { color })}>{told.slice(label.length)}</Text>
    </Text>
  );
  return isWhole ? <Unbroken length={label.length + text.length}>{shown}</Unbroken> : shown;
}
