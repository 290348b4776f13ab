import { requestUrl } from "../client/request-url.ts";
import type { HintTarget } from "../contract/hints.ts";
import { operationPaths } from "../contract/operation-paths.ts";
import { discoverMembers, readHintStep, withComment, type HintStep } from "./hint-step.ts";

/** A next step as an HTTP request: method, path and JSON body in one line. docs/contract.md, "Who gets hints". */
export function renderApi(target: HintTarget): string | undefined {
  const step = readHintStep(target);
  return step && withComment(requestOf(step), target);
}

function requestOf(step: HintStep): string {
  switch (step.kind) {
    case "command":
      return step.command;
    case "discover":
      return request("discover", {}, { q: step.query, ...discoverMembers(step) });
    case "inspect":
      return request("inspectEndpoint", {}, { provider: step.provider, endpoint: step.endpoint });
    case "run":
      return request("startRun", {}, { provider: step.provider, endpoint: step.endpoint, input: {} });
    case "getRun":
      return request("getRun", { runId: step.runId });
    case "stop":
      return request("stopRun", { runId: step.runId });
    case "releaseResource":
      return request("releaseResource", { resourceId: step.resourceId });
  }
}

function request(operationId: keyof typeof operationPaths, params: Record<string, string>, body?: object): string {
  const { method, path } = operationPaths[operationId];
  return `${method} ${requestUrl("", path, params)}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`;
}
