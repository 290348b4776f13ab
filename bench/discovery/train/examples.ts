import { searchFields, type SearchField } from "../../../daemon/discovery/documents/search-document.ts";
import { createTextAnalyser } from "../../../daemon/text/analyse-text.ts";
import type { Sources } from "./read-sources.ts";
import { endpointText, pairToolText, type ToolText } from "./tool-text.ts";

/** The stems of a tool, field by field; absent fields have none. */
export type ToolStems = Readonly<Partial<Record<SearchField, readonly string[]>>>;

export interface EndpointExample {
  readonly provider: string;
  readonly tool: ToolStems;
}

export interface PairExample {
  readonly source: string;
  readonly query: readonly string[];
  readonly tool: ToolStems;
  /** Equal for equal texts: such tools are never each other's wrong answer. */
  readonly toolText: string;
}

export interface Examples {
  readonly endpoints: readonly EndpointExample[];
  readonly pairs: readonly PairExample[];
}

/** All texts as discovery analyses them; the endpoints of a provider one after the other. */
export function analyseSources({ endpoints, pairs }: Sources): Examples {
  const analyse = createTextAnalyser();
  const tools = new Map<string, ToolStems>();
  const toolOf = (text: string) => {
    const known = tools.get(text) ?? stemsOfTool(pairToolText(text), analyse);
    tools.set(text, known);
    return known;
  };
  return {
    endpoints: endpoints
      .map((endpoint) => ({ provider: endpoint.provider, tool: stemsOfTool(endpointText(endpoint), analyse) }))
      .sort((one, other) => compare(one.provider, other.provider)),
    pairs: pairs.map(({ source, q, tool }) => ({ source, query: analyse(q), tool: toolOf(tool), toolText: tool })),
  };
}

export function stemsOfTool(text: ToolText, analyse: (text: string) => string[]): ToolStems {
  return Object.fromEntries(
    searchFields.flatMap((field) => {
      const stems = analyse(text[field] ?? "");
      return stems.length === 0 ? [] : [[field, stems]];
    }),
  );
}

/** All stems of a tool, field after field. */
export function allStems(tool: ToolStems): string[] {
  return searchFields.flatMap((field) => tool[field] ?? []);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
