import { z } from "zod";
import { runAnswer, RunAnswer } from "../run-answer.ts";
import { fieldsInput, runIdInput } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";
import { watchRun } from "../watch-run.ts";

export const getRunTool = defineTool({
  name: "get_run",
  title: "Get a run",
  description:
    "How a run stands, what it cost, and its data once it has ended; with waitSeconds it waits for that. Free. Also gives " +
    "parts of a long output whole, by fields.",
  annotations: readsOnly,
  input: z.object({
    ...runIdInput,
    waitSeconds: z.number().min(0).max(300).default(0).describe("How long to wait for a run that goes on."),
    ...fieldsInput,
  }),
  output: RunAnswer,
  async call({ runId, waitSeconds, fields }, call) {
    const run =
      waitSeconds > 0
        ? await watchRun(runId, waitSeconds, call)
        : await (await call.connect()).getRun({ params: { runId } }, { signal: call.signal });
    return runAnswer(run, fields);
  },
});
