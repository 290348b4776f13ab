import type { HintTarget } from "../contract/hints.ts";
import { discoverMembers, readHintStep, withComment, type HintStep } from "./hint-step.ts";

/**
 * A next step as an MCP tool call: tool name and JSON arguments in one line. docs/contract.md, "Who gets hints" and
 * "MCP tools".
 */
export function renderMcp(target: HintTarget): string | undefined {
  const step = readHintStep(target);
  return step && withComment(toolCallOf(step), target);
}

function toolCallOf(step: HintStep): string {
  switch (step.kind) {
    case "command":
      return step.command;
    case "discover":
      return toolCall("discover", { query: step.query, ...discoverMembers(step) });
    case "inspect":
      return toolCall("inspect", { provider: step.provider, endpoint: step.endpoint });
    case "run":
      return toolCall("run", { provider: step.provider, endpoint: step.endpoint, input: {} });
    case "getRun":
      return toolCall("get_run", { runId: step.runId });
    case "stop":
      return toolCall("stop_run", { runId: step.runId });
    case "releaseResource":
      return toolCall("release", { resourceId: step.resourceId });
  }
}

function toolCall(tool: string, parameters: object): string {
  return `${tool} ${JSON.stringify(parameters)}`;
}
