import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { acceptedValues, isSchema, memberSchemas, type JsonSchema } from "../json-schema-types.ts";
import type { ViewProps } from "./view.ts";
import { priceRows, priceWords } from "../price-words.ts";
import { targetWords } from "../target.ts";
import { Facts } from "./Facts.tsx";
import { HintList } from "./HintList.tsx";
import { NextSteps } from "./NextSteps.tsx";
import { runLine } from "./run-line.ts";
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
export function EndpointDetail({ value }: ViewProps<InspectResponse>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>{targetWords(value)}</Text>
        <Text dimColor>{`  ${value.providerName}`}</Text>
      </Text>
      <Text>{value.description}</Text>
      <Box marginTop={1}>
        <Facts
          facts={[
            ["price", priceWords(value.price)],
            ["health", value.metrics && healthWords(value.metrics)],
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
      <HintList hints={value.hints} />
      <NextSteps steps={[{ what: "Run it", command: runLine(value) }]} />
    </Box>
  );
}

function healthWords({ status, runTimeMs }: NonNullable<InspectResponse["metrics"]>): string {
  const times = [runTimeMs?.p50, runTimeMs?.p95].map((ms) => (ms === undefined ? "?" : (ms / 1000).toFixed(1)));
  return runTimeMs ? `${status}, p50 ${times[0]} s, p95 ${times[1]} s` : status;
}

function Lines({ lines }: { lines: readonly string[] }): ReactElement {
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {lines.map((line) => (
        <Text key={line}>{line}</Text>
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
          { title: `input (${title})`, cell: (row) => `${row.name}${row.required ? "*" : ""}` },
          { title: "type", cell: (row) => row.type },
          { title: "* required", cell: (row) => row.description, shrinks: true },
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
