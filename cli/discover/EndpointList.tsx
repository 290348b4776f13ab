import { Box, Text } from "ink";
import type { ComponentType, ReactElement } from "react";
import type { DiscoverResponse, DiscoverResult } from "../../shared/contract/discovery.ts";
import { fittingResults, nearestWords } from "./fitting-results.ts";
import { nothingWords } from "./nothing-words.ts";
import { serviceWords } from "./service-words.ts";
import { hiddenWords, hidesSome, mendingSteps, unavailableWords, worthNaming } from "../words/unavailable-words.ts";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import { EndpointCard } from "./EndpointCard.tsx";
import { HintList } from "../screen/HintList.tsx";
import { type NextStep, NextSteps } from "../screen/NextSteps.tsx";

/** How discovery was called, for the commands that suggest another call. */
export interface Asking {
  /** The command that also shows what cannot be run now. */
  readonly withUnavailable: string;
  /** The flags that this command adds to the one that was typed. */
  readonly flagsForUnavailable: string;
  /** With a floor of its own. */
  readonly hasFloor: boolean;
  /** Some filter was given. */
  readonly hasFilters: boolean;
  /** The service does not know the name in one of them, so nothing can match. */
  readonly hasUnknownFilters: boolean;
  /** With the reasons for each match. */
  readonly explains: boolean;
  /** The command as it was typed, with more flags. */
  readonly again: (...more: readonly string[]) => string;
}

/** What `mkt discover` found, best first. */
export function createEndpointList(asking: Asking): ComponentType<ViewProps<DiscoverResponse>> {
  return ({ value, full }) => {
    const { fitting, nearest } = fittingResults(value.results, asking);
    const best = fitting[0] ?? nearest[0];
    return best === undefined ? (
      <NothingFits value={value} asking={asking} />
    ) : (
      <Box flexDirection="column">
        <Cards results={fitting} full={full} asking={asking} />
        {nearest.length > 0 && <Text>{nearestWords({ fitting })}</Text>}
        <Cards results={nearest} full={full} asking={asking} />
        {asking.explains && <Services value={value} />}
        {asking.explains ? <Unavailable value={value} /> : <Hidden value={value} asking={asking} />}
        <HintList hints={value.hints} />
        <NextSteps
          steps={[
            ...(asking.explains ? unavailableSteps(value, asking) : []),
            { what: "Look at one", command: shellLine("mkt", "inspect", targetWords(best)) },
          ]}
        />
      </Box>
    );
  };
}

interface CardsProps {
  readonly results: readonly DiscoverResult[];
  readonly full: boolean;
  readonly asking: Asking;
}

function Cards({ results, full, asking: { explains } }: CardsProps): ReactElement {
  return (
    <Box flexDirection="column" rowGap={explains ? 1 : 0}>
      {results.map((result) => (
        <EndpointCard key={targetWords(result)} result={result} full={full} explains={explains} />
      ))}
    </Box>
  );
}

interface PartProps {
  readonly value: DiscoverResponse;
  readonly asking: Asking;
}

function NothingFits({ value, asking }: PartProps): ReactElement {
  const withoutFilters = { what: "Without the filters", command: shellLine("mkt", "discover", value.query) };
  const nearest = { what: "See what comes nearest", command: asking.again("--min-score", "0") };
  const told = asking.explains ? value : worthNaming(value);
  return (
    <Box flexDirection="column">
      <Text>{`${nothingWords(told, asking)}${told.unavailable === undefined ? " Other words may find it." : ""}`}</Text>
      {asking.explains && <Services value={value} />}
      <Unavailable value={told} />
      <HintList hints={value.hints} />
      <NextSteps
        steps={[
          ...unavailableSteps(told, asking),
          ...(asking.hasFilters ? [withoutFilters] : []),
          ...(asking.hasFloor || asking.hasUnknownFilters ? [] : [nearest]),
          { what: "Browse the catalog", command: "mkt categories" },
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

/** Empty when all of them are among the results, each with its reason. */
function Unavailable({ value }: { value: DiscoverResponse }): ReactElement | null {
  if (!hidesSome(value)) return null;
  return (
    <Box marginTop={1}>
      <Text dimColor={value.unavailable?.better === 0}>{`${unavailableWords(value)}.`}</Text>
    </Box>
  );
}

/** One line, and only if something better is not among the results. */
function Hidden({ value, asking }: PartProps): ReactElement | null {
  const hidden = hiddenWords(value);
  if (hidden === undefined) return null;
  return (
    <Box marginTop={1}>
      <Text>{`${hidden}: add ${asking.flagsForUnavailable}`}</Text>
    </Box>
  );
}

function unavailableSteps(value: DiscoverResponse, { withUnavailable }: Asking): NextStep[] {
  if (value.unavailable === undefined) return [];
  const seeThem = { what: "See them as well", command: withUnavailable };
  return [...mendingSteps(value.unavailable), ...(hidesSome(value) ? [seeThem] : [])];
}
