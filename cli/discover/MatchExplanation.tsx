import { Box } from "ink";
import type { ReactElement } from "react";
import type { DiscoverExplanation } from "../../shared/contract/discovery.ts";
import { type Fact, Facts } from "../screen/Facts.tsx";

/** Less would be displayed as 0. */
const LEAST_SHOWN = 0.005;

type FoundWord = DiscoverExplanation["words"][number];

/**
 * Why a result was found: each word with the fields that had it, which related words were searched, and the effect of
 * its health.
 */
export function MatchExplanation({
  explanation,
  full,
}: {
  explanation: DiscoverExplanation;
  full: boolean;
}): ReactElement {
  const { expanded, services = [] } = explanation;
  const words = explanation.words.filter(({ weight }) => full || weight >= LEAST_SHOWN);
  const asked = [...new Set(words.map(({ word }) => word))];
  return (
    <Box paddingLeft={2}>
      <Facts
        facts={[
          // In quotes: a word of the query may be "health" too.
          ...asked.map((name): Fact => [`"${name}"`, placesWords(words.filter(({ word }) => word === name))]),
          ["phrasings", phrasingWords(explanation)],
          ["expanded", expanded.map(({ word, to, by }) => `${word} → ${to} (${by})`).join(", ")],
          ["meaning", explanation.meaning === undefined ? "" : `near, ${explanation.meaning.toFixed(2)}`],
          ["services", services.map(({ name, score }) => `${name} ${score.toFixed(2)}`).join(", ")],
          ["use", useWords(explanation)],
          ["health", healthWords(explanation)],
        ]}
      />
    </Box>
  );
}

/** `path 0.21, tags 0.11, as zone: name 0.44`: where a word was found and what it is worth there. */
function placesWords(found: readonly FoundWord[]): string {
  const forms = [...new Set(found.map(({ as }) => as))];
  return forms
    .map((form) => {
      const places = found.filter(({ as }) => as === form).map(({ field, weight }) => `${field} ${weight.toFixed(2)}`);
      return `${form === undefined ? "" : `as ${form}: `}${places.join(", ")}`;
    })
    .join("; ");
}

/** `1 by "rain forecast", 3 by "will it rain"`: its place in each; empty for a query alone. */
function phrasingWords({ phrasings = [] }: DiscoverExplanation): string {
  return phrasings.map(({ phrasing, place }) => `${place} by "${phrasing}"`).join(", ");
}

/** Empty where it was not used for asks like this one. */
function useWords({ use }: DiscoverExplanation): string {
  if (use === undefined) return "";
  const used = `used ${use.times === 1 ? "once" : `${use.times} times`} for like asks`;
  if (use.raised === 0) return `${used}, no effect`;
  return `${used}, ${use.raised} ${use.raised === 1 ? "place" : "places"} higher for it`;
}

function healthWords({ health: { status, effect } }: DiscoverExplanation): string {
  switch (effect?.kind) {
    case "sunk":
      return `${status}, so it comes after healthy ones that fit as well`;
    case "last":
      return `in ${status}, so it comes last`;
    default:
      return status === "unknown" ? "no runs to judge by, no effect" : `${status}, no effect`;
  }
}
