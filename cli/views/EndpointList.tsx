import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { DiscoverResponse, DiscoverResult } from "../../shared/contract/discovery.ts";
import type { ViewProps } from "./view.ts";
import { priceWords } from "../price-words.ts";
import { shellLine } from "../shell-line.ts";
import { targetWords } from "../target.ts";
import { HintList } from "./HintList.tsx";
import { NextSteps } from "./NextSteps.tsx";
import { statusColor } from "./status-color.ts";

/** What `mkt discover` found, best first. */
export function EndpointList({ value, full }: ViewProps<DiscoverResponse>): ReactElement {
  const [best] = value.results;
  if (best === undefined) {
    return (
      <Box flexDirection="column">
        <Text>{`Nothing matches "${value.query}".`}</Text>
        <NextSteps steps={[{ what: "Browse what there is", command: "mkt categories" }]} />
      </Box>
    );
  }
  return (
    <Box flexDirection="column">
      {value.results.map((result) => (
        <Result key={targetWords(result)} result={result} full={full} />
      ))}
      <HintList hints={value.hints} />
      <NextSteps steps={[{ what: "Look at one", command: shellLine("mkt", "inspect", targetWords(best)) }]} />
    </Box>
  );
}

function Result({ result, full }: { result: DiscoverResult; full: boolean }): ReactElement {
  const { metrics } = result;
  return (
    <Box flexDirection="column">
      <Box columnGap={2}>
        <Text bold wrap="truncate">
          {targetWords(result)}
        </Text>
        <Box flexShrink={0}>
          <Text>{priceWords(result.price)}</Text>
        </Box>
        {metrics && metrics.status !== "unknown" && (
          <Box flexShrink={0}>
            <Text {...colorOf(metrics.status)}>{healthWords(metrics)}</Text>
          </Box>
        )}
        <Box flexShrink={0}>
          <Text dimColor>{`score ${result.score.toFixed(2)}`}</Text>
        </Box>
      </Box>
      <Text wrap={full ? "wrap" : "truncate"}>{`  ${result.description.replace(/\s+/g, " ")}`}</Text>
      {result.explanation && <Text dimColor>{`  found by ${foundWords(result.explanation)}`}</Text>}
    </Box>
  );
}

/** `sun (path 0.21, tags 0.11), rise (asks 0.44)`: what each word is worth, field by field. */
function foundWords({ words }: NonNullable<DiscoverResult["explanation"]>): string {
  const names = [...new Set(words.map(({ word }) => word))];
  return names
    .map((name) => {
      const fields = words.filter(({ word }) => word === name);
      return `${name} (${fields.map(({ field, weight }) => `${field} ${weight.toFixed(2)}`).join(", ")})`;
    })
    .join(", ");
}

function healthWords({ status, runTimeMs }: NonNullable<DiscoverResult["metrics"]>): string {
  return runTimeMs?.p50 === undefined ? status : `${status} ~${(runTimeMs.p50 / 1000).toFixed(1)} s`;
}

function colorOf(status: string): { color?: string } {
  const color = statusColor(status);
  return color === undefined ? {} : { color };
}
