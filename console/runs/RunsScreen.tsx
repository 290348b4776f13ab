import type { ScreenProps } from "../shell/screen-entry.ts";
import { RunList } from "./RunList.tsx";
import { RunStory } from "./RunStory.tsx";

/** `#/runs`, and `#/runs/<runId>`. */
export function RunsScreen({ route: { path, query } }: ScreenProps) {
  const runId = path[1];
  return runId === undefined ? <RunList query={query} /> : <RunStory key={runId} runId={runId} />;
}
