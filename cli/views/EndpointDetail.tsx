import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { durationWords } from "../words/duration-words.ts";
import { acceptedValues, isSchema, memberSchemas, type JsonSchema } from "../input/json-schema-types.ts";
import type { ViewProps } from "./view.ts";
import { priceRows, priceWords } from "../words/price-words.ts";
import { targetWords } from "../input/target.ts";
import { Facts } from "./Facts.tsx";
import { HintList } from "./HintList.tsx";
import { NextSteps } from "./NextSteps.tsx";
import { OutputSchema } from "./OutputSchema.tsx";
import { Prose } from "./Prose.tsx";
import { runLine } from "./run-line.ts";
import { statusColor } from "./status-color.ts";
import { Table } from "./Table.tsx";

interface FieldRow {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

const places = [
  ["pathParams", "path"],
  ["queryParams", "query"],
  ["body", "body"],
] as const;

/** Everything about one endpoint, ending with a line that runs it. */
export function EndpointDetail({ value, full }: ViewProps<InspectResponse>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{targetWords(value)}</Text>
        <Text dimColor>{`  ${value.providerName}`}</Text>
      </Text>
      <Prose text={value.description} />
      <Box marginTop={1}>
        <Facts
          facts={[
            ["price", priceWords(value.price, value)],
            ["health", value.metrics?.status, statusColor(value.metrics?.status)],
            ["takes", value.metrics && timeWords(value.metrics)],
            ["categories", value.categories.join(", ")],
            ["tags", value.tags.join(", ")],
            ["docs", value.docUrl],
          ]}
        />
      </Box>
      <Lines lines={[...priceRows(value.price), ...(value.price.notes ?? [])]} />
      <Lines lines={value.notes ?? []} />
      {places.map(([place, title]) => (
        <InputTable key={place} title={title} schema={value.input?.[place]} />
      ))}
      <OutputSchema schema={value.output?.schema} full={full} />
      <HintList hints={value.hints} />
      <NextSteps steps={[{ what: "Run it", command: runLine(value) }]} />
    </Box>
  );
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

function InputTable({ title, schema }: { title: string; schema: JsonSchema | undefined }): ReactElement | null {
  if (schema === undefined) return null;
  const rows = fieldRows(schema);
  if (rows.length === 0) return null;
  return (
    <Box marginTop={1}>
      <Table
        rows={rows}
        columns={[
          { title: `input (${title})`, cell: (row) => row.name },
          { title: "type", cell: (row) => `${row.type}${row.required ? ", required" : ""}` },
          { title: "about", cell: (row) => row.description, shrinks: true },
        ]}
      />
    </Box>
  );
}

function fieldRows(schema: JsonSchema): FieldRow[] {
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return [...memberSchemas(schema)]
    .map(([name, member]) => ({
      name,
      type: typeWords(member, schema),
      required: required.includes(name),
      description: isSchema(member) && typeof member["description"] === "string" ? member["description"] : "",
    }))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

const mostListedCharacters = 30;

function typeWords(member: unknown, root: JsonSchema): string {
  const { types, values } = acceptedValues(member, root);
  const listed = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("|");
  if (listed !== "" && listed.length <= mostListedCharacters) return listed;
  return [...types].join("|") || "any";
}
