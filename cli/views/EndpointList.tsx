import { Box, Text } from "ink";
import type { ComponentType, ReactElement } from "react";
import type { DiscoverResponse, DiscoverResult } from "../../shared/contract/discovery.ts";
import { nothingWords } from "../nothing-words.ts";
import { serviceWords } from "../service-words.ts";
import { hidesSome, mendingSteps, reasonWords, unavailableWords } from "../unavailable-words.ts";
import type { ViewProps } from "./view.ts";
import { priceWords } from "../price-words.ts";
import { shellLine } from "../shell-line.ts";
import { targetWords } from "../target.ts";
import { HintList } from "./HintList.tsx";
import { MatchExplanation } from "./MatchExplanation.tsx";
import { type NextStep, NextSteps } from "./NextSteps.tsx";
import { statusColor } from "./status-color.ts";

/** How discovery was asked, for the commands that ask it otherwise. */
export interface Asking {
  /** The command that shows what cannot be run now beside what was found. */
  readonly withUnavailable: string;
  /** With a floor of its own. */
  readonly hasFloor: boolean;
  /** Only for what passes some filter. */
  readonly hasFilters: boolean;
  /** The command as it was typed, with more flags. */
  readonly again: (...more: readonly string[]) => string;
}

/** What `mkt discover` found, best first. */
export function createEndpointList(asking: Asking): ComponentType<ViewProps<DiscoverResponse>> {
  return ({ value, full }) => {
    const [best] = value.results;
    return best === undefined ? (
      <NothingFits value={value} asking={asking} />
    ) : (
      <Box flexDirection="column">
        {value.results.map((result) => (
          <Result key={targetWords(result)} result={result} full={full} />
        ))}
        <Services value={value} />
        <Unavailable value={value} />
        <HintList hints={value.hints} />
        <NextSteps
          steps={[
            ...unavailableSteps(value, asking),
            { what: "Look at one", command: shellLine("mkt", "inspect", targetWords(best)) },
          ]}
        />
      </Box>
    );
  };
}

interface PartProps {
  readonly value: DiscoverResponse;
  readonly asking: Asking;
}

function NothingFits({ value, asking }: PartProps): ReactElement {
  const withoutFilters = { what: "Without the filters", command: shellLine("mkt", "discover", value.query) };
  const nearest = { what: "See what comes nearest", command: asking.again("--min-score", "0") };
  return (
    <Box flexDirection="column">
      <Text>{`${nothingWords(value, asking)}${value.unavailable === undefined ? " Other words may find it." : ""}`}</Text>
      <Services value={value} />
      <Unavailable value={value} />
      <NextSteps
        steps={[
          ...unavailableSteps(value, asking),
          ...(asking.hasFilters ? [withoutFilters] : []),
          ...(asking.hasFloor ? [] : [nearest]),
          { what: "Browse what there is", command: "mkt categories" },
          { what: "Bring in an API that has it (operator)", command: "mkt catalog import --help" },
        ]}
      />
    </Box>
  );
}

function Services({ value: { services = [] } }: { value: DiscoverResponse }): ReactElement {
  return (
    <Box flexDirection="column">
      {services.map((service) => (
        <Text key={service.name} dimColor>
          {serviceWords(service)}
        </Text>
      ))}
    </Box>
  );
}

/** Nothing where all of them are among the results, each with its reason. */
function Unavailable({ value }: { value: DiscoverResponse }): ReactElement | null {
  if (!hidesSome(value)) return null;
  return (
    <Box marginTop={1}>
      <Text dimColor={value.unavailable?.better === 0}>{`${unavailableWords(value)}.`}</Text>
    </Box>
  );
}

function unavailableSteps(value: DiscoverResponse, { withUnavailable }: Asking): NextStep[] {
  if (value.unavailable === undefined) return [];
  const seeThem = { what: "See them as well", command: withUnavailable };
  return [...mendingSteps(value.unavailable), ...(hidesSome(value) ? [seeThem] : [])];
}

function Result({ result, full }: { result: DiscoverResult; full: boolean }): ReactElement {
  const { metrics, explanation, unavailable } = result;
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
      {unavailable && <Text color="yellow">{`  cannot be run now: ${reasonWords(unavailable)}`}</Text>}
      {explanation && <MatchExplanation explanation={explanation} full={full} />}
    </Box>
  );
}

function healthWords({ status, runTimeMs }: NonNullable<DiscoverResult["metrics"]>): string {
  return runTimeMs?.p50 === undefined ? status : `${status} ~${(runTimeMs.p50 / 1000).toFixed(1)} s`;
}

function colorOf(status: string): { color?: string } {
  const color = statusColor(status);
  return color === undefined ? {} : { color };
}
