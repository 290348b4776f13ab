import type { SearchField } from "../../../daemon/discovery/documents/search-document.ts";
import type { CollectedEndpoint } from "../collections.ts";

/** The text of an endpoint or tool, field by field; absent fields are empty. */
export type ToolText = Readonly<Partial<Record<SearchField, string>>>;

/** An endpoint of a collection in the fields that discovery would see of it, were it in a manifest. */
export function endpointText(endpoint: CollectedEndpoint): ToolText {
  return {
    name: endpoint.displayName || endpoint.endpoint,
    path: pathText(endpoint.endpoint),
    tags: endpoint.tags.join("\n"),
    description: endpoint.description,
    provider: endpoint.provider,
    parameters: endpoint.params.map(({ name, description }) => `${name}\n${description}`).join("\n"),
  };
}

/** The tool of a pair: its first part is its name, the others describe it. */
export function pairToolText(tool: string): ToolText {
  const [name = "", ...others] = tool.split(" . ");
  return { name, description: others.join("\n") };
}

/** "GET /users/{userId}/posts" → the words between: a method and the names of path parameters say nothing of the subject. */
function pathText(endpoint: string): string {
  return endpoint.replace(/^(?:GET|PUT|POST|PATCH|DELETE|HEAD|OPTIONS|TRACE) /u, "").replaceAll(/\{[^}]*\}/gu, " ");
}
