import { z } from "zod";
import { listedOfRun, runAnswer, RunAnswer } from "../run-answer.ts";
import { fieldsInput, outputPageInput, runIdInput } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";
import { watchRun } from "../watch-run.ts";

export const getRunTool = defineTool({
  name: "get_run",
  title: "Get a run",
  description:
    "The status of a run, what it cost, and its data once it has ended; with waitSeconds it waits for that. Free. Also gives " +
    "the rest of a long output, by offset or fields.",
  annotations: readsOnly,
  input: z.object({
    ...runIdInput,
    waitSeconds: z.number().min(0).max(300).default(0).describe("How long to wait for an open run."),
    ...fieldsInput,
    ...outputPageInput,
  }),
  output: RunAnswer,
  listed: listedOfRun,
  async call({ runId, waitSeconds, ...asked }, call) {
    const run =
      waitSeconds > 0
        ? await watchRun(runId, waitSeconds, call)
        : await (await call.connect()).getRun({ params: { runId } }, { signal: call.signal });
    return runAnswer(run, asked);
  },
});
