import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { memberSchemas } from "../input/json-schema-types.ts";
import { targetWords } from "../words/target.ts";
import { durationWords } from "../words/duration-words.ts";
import { shownExample } from "./example-words.ts";
import { priceRows, priceWords } from "../words/price-words.ts";
import { reasonWords } from "../words/unavailable-words.ts";
import { type Fact, Facts } from "../screen/Facts.tsx";
import { healthWords } from "../words/health-words.ts";
import { HintList } from "../screen/HintList.tsx";
import { InputFields } from "./InputFields.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { OutputSchema } from "./OutputSchema.tsx";
import { palette } from "../screen/palette.ts";
import { Prose } from "../screen/Prose.tsx";
import { runLine } from "./run-line.ts";
import { SampleAnswer } from "./SampleAnswer.tsx";
import { statusColor } from "../screen/status-color.ts";
import type { ViewProps } from "../screen/view.ts";

const places = [
  ["pathParams", "path"],
  ["queryParams", "query"],
  ["body", "body"],
] as const;

/** Everything that is needed to call one endpoint, ending with a line that runs it. */
export function EndpointDetail({ value, full }: ViewProps<InspectResponse>): ReactElement {
  const { unavailable, input = {} } = value;
  const example = shownExample(value);
  const [price, ...rows] = [priceWords(value.price, value), ...priceRows(value.price)];
  const health = healthWords(value.metrics);
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{targetWords(value)}</Text>
        <Text dimColor>{`  ${value.providerName}`}</Text>
      </Text>
      <Prose text={value.description} />
      {unavailable && <Text color={palette.notable}>{`cannot be run now: ${reasonWords(unavailable)}`}</Text>}
      <Box marginTop={1}>
        <Facts
          facts={[
            ["price", price],
            ...rows.map((row): Fact => ["", row]),
            ["health", health, statusColor(value.metrics?.status)],
            ["takes", value.metrics && timeWords(value.metrics)],
            ["categories", value.categories.join(", ")],
            ["tags", value.tags.join(", ")],
            ["docs", value.docUrl],
          ]}
        />
      </Box>
      <Lines lines={[...(value.price.notes ?? []), ...notesBeside(value)]} />
      {places.map(([place, title]) => (
        <InputFields key={place} title={titleOf(title, input)} schema={input[place]} full={full} />
      ))}
      {places.every(([place]) => memberSchemas(input[place]).size === 0) && (
        <Box marginTop={1}>
          <Text>input: none</Text>
        </Box>
      )}
      {example?.output !== undefined && <SampleAnswer example={example} full={full} />}
      {(example?.output === undefined || full) && <OutputSchema schema={value.output?.schema} full={full} />}
      <HintList hints={value.hints} />
      <NextSteps
        steps={[
          ...(unavailable?.next === undefined ? [] : [{ what: "First (operator)", command: unavailable.next }]),
          { what: "Run it", command: runLine(value) },
        ]}
      />
    </Box>
  );
}

/** A body is JSON unless it says otherwise. */
function titleOf(title: string, { bodyType = "json" }: NonNullable<InspectResponse["input"]>): string {
  return title === "body" && bodyType !== "json" ? `input (body, ${bodyType})` : `input (${title})`;
}

/** The notes, without what the screen shows anyway. */
function notesBeside({ notes = [], unavailable }: InspectResponse): readonly string[] {
  return unavailable === undefined ? notes : notes.filter((note) => !note.startsWith("Cannot be run now: "));
}

/** How long half of its runs take, and all but one in twenty. */
function timeWords({ runTimeMs }: NonNullable<InspectResponse["metrics"]>): string | undefined {
  const { p50, p95 } = runTimeMs ?? {};
  const parts = [
    ...(p50 === undefined ? [] : [`half within ${durationWords(p50)}`]),
    ...(p95 === undefined ? [] : [`95 % within ${durationWords(p95)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}

function Lines({ lines }: { lines: readonly string[] }): ReactElement {
  return (
    <Box flexDirection="column">
      {lines.map((line) => (
        <Prose key={line} text={line} indent={2} />
      ))}
    </Box>
  );
}
