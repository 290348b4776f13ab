import { Box, Text } from "ink";
import type { ReactElement } from "react";
import stringWidth from "string-width";
import type { DiscoverResult } from "../../shared/contract/discovery.ts";
import { priceWords } from "../../shared/words/price-words.ts";
import { targetWords } from "../words/target.ts";
import { reasonWords } from "../words/unavailable-words.ts";
import { type Fact, Facts } from "../screen/Facts.tsx";
import { healthWords } from "../words/health-words.ts";
import { useLook } from "../screen/look.ts";
import { MatchExplanation } from "./MatchExplanation.tsx";
import { oneLine } from "../screen/one-line.ts";
import { palette } from "../screen/palette.ts";
import { Prose } from "../screen/Prose.tsx";
import { shortenText } from "../screen/shorten-text.ts";
import { statusColor } from "../screen/status-color.ts";

export interface EndpointCardProps {
  readonly result: DiscoverResult;
  readonly full: boolean;
  /** Whether it says at length why it was found, or in a few words. */
  readonly explains: boolean;
}

const INDENT = 2;
/** Less would not show what it is for. */
const LEAST_ABOUT = 60;

/**
 * One endpoint that discovery found, in two lines: its name, its price and health; what it is for. The reason for the
 * match follows on request.
 */
export function EndpointCard({ result, full, explains }: EndpointCardProps): ReactElement {
  const { columns, linear } = useLook();
  const { explanation } = result;
  const description = oneLine(result.description);
  const indent = linear ? 0 : INDENT;
  const facts = headFacts(result);
  return (
    <Box flexDirection="column">
      {linear ? (
        <Facts facts={[["endpoint", targetWords(result)], ...facts]} />
      ) : (
        <Head name={targetWords(result)} facts={facts} />
      )}
      <Prose
        text={full ? description : shortenText(description, Math.max(columns - indent, LEAST_ABOUT))}
        indent={indent}
      />
      <Box flexDirection="column" paddingLeft={indent}>
        {explanation && explains && <MatchExplanation explanation={explanation} full={full} />}
      </Box>
    </Box>
  );
}

function headFacts(result: DiscoverResult): Fact[] {
  const { price, metrics, confidence, unavailable } = result;
  return [
    ["price", priceWords(price, result)],
    ["health", healthWords(metrics), statusColor(metrics?.status)],
    ["cannot be run now", unavailable && reasonWords(unavailable), palette.notable],
    ["match", confidence],
  ];
}

/** The facts beside the name where they fit, else below it. */
function Head({ name, facts: all }: { name: string; facts: readonly Fact[] }): ReactElement {
  const { columns } = useLook();
  const facts = all.filter((fact) => fact[1] !== undefined);
  const needed = [["", name], ...facts].reduce((sum, [title, value]) => sum + stringWidth(told(title, value)) + 2, 0);
  const isBeside = needed - 2 <= columns;
  return (
    <Box columnGap={2} flexDirection={isBeside ? "row" : "column"}>
      <Text bold>{name}</Text>
      <Box columnGap={2} flexWrap="wrap" paddingLeft={isBeside ? 0 : INDENT}>
        {facts.map(([title, value, color]) => (
          <Box key={title} flexShrink={0}>
            <Text {...(color !== undefined && { color })}>{told(title, value)}</Text>
          </Box>
        ))}
      </Box>
    </Box>
  );
}

/** A price and a health need no label. */
function told(title: string | undefined, value: string | undefined): string {
  return title === "match" ? `${value} match` : (value ?? "");
}
