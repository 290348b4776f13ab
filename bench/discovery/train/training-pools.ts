import { poolOf, viewOf, type Pool, type View } from "./batches.ts";
import type { EndpointExample, Examples, PairExample, ToolStems } from "./examples.ts";
import { requestRows, toolRows } from "./text-rows.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** How many words at the beginning of a description may stand for a request. */
const FIRST_WORDS = 8;

export interface TrainingPools {
  /** API texts, one part of each as the request for the rest. */
  readonly endpoints: readonly Pool[];
  /** The pairs, source by source. */
  readonly pairs: readonly Pool[];
}

export function trainingPools({ endpoints, pairs }: Examples, vocabulary: Vocabulary): TrainingPools {
  return {
    endpoints: [titleForText(endpoints, vocabulary), beginningForRest(endpoints, vocabulary)].map((view) =>
      poolOf(view),
    ),
    pairs: poolsBySource(pairs, vocabulary),
  };
}

/** Name and tags ask for what description, path, provider and parameters tell. */
function titleForText(endpoints: readonly EndpointExample[], vocabulary: Vocabulary): View {
  const titles = endpoints.map(({ tool }) => [...(tool.name ?? []), ...(tool.tags ?? [])]);
  const tools = endpoints.map(({ tool }) => tool);
  return viewOf(
    requestRows(titles, vocabulary),
    toolRows(tools, vocabulary, ["description", "path", "provider", "parameters"]),
  );
}

/** The first words of the description ask for all else. */
function beginningForRest(endpoints: readonly EndpointExample[], vocabulary: Vocabulary): View {
  const beginnings = endpoints.map(({ tool }) => (tool.description ?? []).slice(0, FIRST_WORDS));
  const rests = endpoints.map(({ tool }) => withoutBeginning(tool));
  return viewOf(
    requestRows(beginnings, vocabulary),
    toolRows(rests, vocabulary, ["name", "path", "tags", "description", "parameters"]),
  );
}

function withoutBeginning(tool: ToolStems): ToolStems {
  return { ...tool, description: (tool.description ?? []).slice(FIRST_WORDS) };
}

function poolsBySource(pairs: readonly PairExample[], vocabulary: Vocabulary): Pool[] {
  const queries = pairs.map(({ query }) => query);
  const tools = pairs.map(({ tool }) => tool);
  const view = viewOf(requestRows(queries, vocabulary), toolRows(tools, vocabulary));
  const rowsBySource = new Map<string, number[]>();
  for (const [row, { source }] of pairs.entries()) {
    const rows = rowsBySource.get(source) ?? [];
    rows.push(row);
    rowsBySource.set(source, rows);
  }
  return [...rowsBySource.values()].map((rows) => poolOf(view, rows));
}
