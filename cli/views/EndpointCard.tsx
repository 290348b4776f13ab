import { Box, Text } from "ink";
import type { ReactElement } from "react";
import stringWidth from "string-width";
import type { DiscoverResult } from "../../shared/contract/discovery.ts";
import { priceWords } from "../words/price-words.ts";
import { targetWords } from "../input/target.ts";
import { reasonWords } from "../words/unavailable-words.ts";
import { type Fact, Facts } from "./Facts.tsx";
import { healthWords } from "./health-words.ts";
import { useLook } from "./look.ts";
import { MatchExplanation } from "./MatchExplanation.tsx";
import { matchWords } from "./match-words.ts";
import { oneLine } from "./one-line.ts";
import { palette } from "./palette.ts";
import { Prose } from "./Prose.tsx";
import { shortenText } from "./shorten-text.ts";
import { statusColor } from "./status-color.ts";

export interface EndpointCardProps {
  readonly result: DiscoverResult;
  readonly full: boolean;
  /** Whether it says at length why it was found, or in a few words. */
  readonly explains: boolean;
}

const INDENT = 2;
const DESCRIPTION_LINES = 2;
/** What wrapping at words may lose of a line. */
const RAGGED = 8;

/** One endpoint that discovery found: what it is, what it costs, how it does, and why it is here. */
export function EndpointCard({ result, full, explains }: EndpointCardProps): ReactElement {
  const { columns, linear } = useLook();
  const { explanation, unavailable } = result;
  const reason = explanation && !explains ? matchWords(explanation) : undefined;
  const description = oneLine(result.description);
  const indent = linear ? 0 : INDENT;
  const room = Math.max(columns, DESCRIPTION_LINES * (columns - INDENT - RAGGED));
  return (
    <Box flexDirection="column">
      {linear ? <Facts facts={[["endpoint", targetWords(result)], ...headFacts(result)]} /> : <Head result={result} />}
      <Prose text={full ? description : shortenText(description, room)} indent={indent} />
      {reason !== undefined && <Prose text={`matched: ${reason}`} indent={indent} />}
      <Box flexDirection="column" paddingLeft={indent}>
        {unavailable && <Text color={palette.notable}>{`cannot be run now: ${reasonWords(unavailable)}`}</Text>}
        {explanation && explains && <MatchExplanation explanation={explanation} full={full} />}
      </Box>
    </Box>
  );
}

function headFacts(result: DiscoverResult): Fact[] {
  const { price, metrics, score } = result;
  return [
    ["price", priceWords(price, result)],
    ["health", healthWords(metrics), statusColor(metrics?.status)],
    ["score", score.toFixed(2)],
  ];
}

/** The facts beside the name where they fit, else below it. */
function Head({ result }: { result: DiscoverResult }): ReactElement {
  const { columns } = useLook();
  const name = targetWords(result);
  const facts = headFacts(result).filter((fact) => fact[1] !== undefined);
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

/** A price and a health say by themselves what they are. */
function told(title: string | undefined, value: string | undefined): string {
  return title === "score" ? `score ${value}` : (value ?? "");
}
