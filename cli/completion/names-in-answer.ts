import { isRecord } from "../../shared/is-record.ts";
import { targetWords } from "../words/target.ts";
import { ofEndpoint } from "./name-cache.ts";

/** The names in a service's answer that a person may want to type next. */
export interface AnswerNames {
  endpoints: string[];
  /** Each with its endpoint before it: `atlas/sun#latitude`. */
  inputs: string[];
  runs: string[];
}

/** Reads them from everything that names an endpoint or a run: the answer itself, and the entries of its lists. */
export function namesInAnswer(body: unknown): AnswerNames {
  const names: AnswerNames = { endpoints: [], inputs: [], runs: [] };
  for (const entry of [body, ...entriesOf(body)]) take(entry, names);
  return names;
}

function entriesOf(body: unknown): unknown[] {
  if (!isRecord(body)) return [];
  return [body["items"], body["results"]].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
}

function take(entry: unknown, { endpoints, inputs, runs }: AnswerNames): void {
  if (!isRecord(entry)) return;
  const { provider, endpoint, runId, input } = entry;
  if (typeof provider === "string" && typeof endpoint === "string") {
    const name = targetWords({ provider, endpoint });
    endpoints.push(name);
    inputs.push(...propertiesOf(input).map((property) => `${name}${ofEndpoint}${property}`));
  }
  if (typeof runId === "string") runs.push(runId);
}

/** The input of an endpoint in an inspect answer: a schema for each section. A run's own input has none. */
function propertiesOf(input: unknown): string[] {
  if (!isRecord(input)) return [];
  const schemas = [input["pathParams"], input["queryParams"], input["body"]].filter(isRecord);
  return schemas
    .map((schema) => schema["properties"])
    .filter(isRecord)
    .flatMap(Object.keys);
}
