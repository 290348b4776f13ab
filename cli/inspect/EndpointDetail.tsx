import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { acceptedValues, isSchema, type JsonSchema, memberSchemas } from "../input/json-schema-types.ts";
import { targetWords } from "../words/target.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { shownExample } from "./example-words.ts";
import { priceRows, priceWords } from "../../shared/words/price-words.ts";
import { reasonWords } from "../words/unavailable-words.ts";
import { type Fact, Facts } from "../screen/Facts.tsx";
import { healthWords } from "../words/health-words.ts";
import { HintList } from "../screen/HintList.tsx";
import { InputFields } from "./InputFields.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { palette } from "../screen/palette.ts";
import { Prose } from "../screen/Prose.tsx";
import { RouteMembers } from "./RouteMembers.tsx";
import { runLine } from "./run-line.ts";
import { statusColor } from "../screen/status-color.ts";
import type { ViewProps } from "../screen/view.ts";
import { useLook } from "../screen/look.ts";
import { foldJson } from "../screen/json/fold-json.ts";
import { Verbatim } from "../screen/Verbatim.tsx";

const places = [
  ["pathParams", "path"],
  ["queryParams", "query"],
  ["body", "body"],
] as const;

/** Of a sample answer without `--full`. */
const limits = { items: 2, members: 12, depth: 4, lines: 18 };
/** The part of a line that is not text: its name, its indent, and how much was left out. */
const BESIDE_TEXT = 45;
const LEAST_TEXT = 20;

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
      {value.secret?.verdict === "failing" && (
        <Text color={palette.notable}>
          the provider refuses its secret: a run will fail until the operator stores another
        </Text>
      )}
      {unavailable && <Text color={palette.notable}>{`cannot be run now: ${reasonWords(unavailable)}`}</Text>}
      <Box marginTop={1}>
        <Facts
          facts={[
            ["price", price],
            ...rows.map((row): Fact => ["", row]),
            ["pages", pageWords(value.maxPages)],
            ["health", health, statusColor(value.metrics?.status)],
            ["takes", value.metrics && timeWords(value.metrics)],
            ["categories", value.categories.join(", ")],
            ["tags", value.tags.join(", ")],
            ["docs", value.docUrl],
          ]}
        />
      </Box>
      <Lines lines={[...(value.price.notes ?? []), ...notesBeside(value)]} />
      <RouteMembers route={value.route} />
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
          ...(unavailable?.next === undefined ? [] : [firstStep(unavailable)]),
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
function firstStep({ reason, next = "" }: NonNullable<InspectResponse["unavailable"]>) {
  return { what: reason === "notConnected" ? "First" : "First (operator)", command: next };
}

function notesBeside({ notes = [], unavailable }: InspectResponse): readonly string[] {
  return unavailable === undefined ? notes : notes.filter((note) => !note.startsWith("Cannot be run now: "));
}

/** A list whose pages one run reads, each at the price of a call. */
function pageWords(maxPages: number | undefined): string | undefined {
  return maxPages === undefined ? undefined : `reads up to ${maxPages}; --max-pages lowers it`;
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

type Example = NonNullable<InspectResponse["examples"]>[number];

/** The answer to the example, as much of it as fits; with `--full` all of it. */
function SampleAnswer({ example, full }: { example: Example; full: boolean }): ReactElement {
  const { columns } = useLook();
  const characters = Math.max(LEAST_TEXT, columns - BESIDE_TEXT);
  const lines = full
    ? JSON.stringify(example.output, null, 2).split("\n")
    : foldJson(example.output, { columns, characters, ...limits }).lines;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text>
        <Text bold>sample answer</Text>
        {example.name !== undefined && <Text dimColor>{`  ${example.name}`}</Text>}
      </Text>
      <Verbatim text={lines.join("\n")} />
    </Box>
  );
}

interface OutputSchemaProps {
  readonly schema: JsonSchema | undefined;
  readonly full: boolean;
}

/** What a run gives: in a line, and with `--full` the whole schema. */
function OutputSchema({ schema, full }: OutputSchemaProps): ReactElement | null {
  if (schema === undefined) return null;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold>output</Text>
      {full ? (
        <Text>{JSON.stringify(schema, null, 2)}</Text>
      ) : (
        <Prose text={`${shortly(schema)} (its whole schema: --full)`} indent={2} />
      )}
    </Box>
  );
}

/** `array of object: name, code` */
function shortly(schema: JsonSchema): string {
  const items = schema["items"];
  const type = [...acceptedValues(schema, schema).types].join("|") || "any";
  if (type === "array" && isSchema(items)) return `array of ${shortly(items)}`;
  const members = [...memberSchemas(schema).keys()].join(", ");
  return members === "" ? type : `${type}: ${members}`;
}
