import { z } from "zod";
import { RunStopAccepted } from "../../../shared/contract/runs.ts";
import { runIdInput } from "../tool-input.ts";
import { defineTool } from "../tool.ts";

export const stopRunTool = defineTool({
  name: "stop_run",
  title: "Stop a run",
  description: "Stop a run in progress, where its endpoint can be stopped. What it has used already may be charged.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.object({ ...runIdInput }),
  output: RunStopAccepted,
  async call({ runId }, { connect, signal }) {
    const stopping = await (await connect()).stopRun({ params: { runId } }, { signal });
    const lines = [
      `Run ${runId}: ${stopping.status}. ${stopping.message}`,
      "What the run cost is known when it has ended.",
      `Next: get_run ${JSON.stringify({ runId, waitSeconds: 30 })}`,
    ];
    return { lines, value: stopping };
  },
});
