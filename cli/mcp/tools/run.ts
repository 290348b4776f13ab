import { z } from "zod";
import { isAwaitingApproval } from "../../core/exit-codes.ts";
import { isTerminal, type AnyRun } from "../../run/run-outcome.ts";
import { deliveredNothing, listedOfRun, runAnswer, RunAnswer } from "../run-answer.ts";
import { toRunRequest } from "../run-request.ts";
import { startRunOnce } from "../start-run-once.ts";
import { fieldsInput, maxAgeInput, runInputMembers } from "../tool-input.ts";
import { defineTool, type ToolCall } from "../tool.ts";
import { toTask } from "../tasks.ts";
import { watchRun } from "../watch-run.ts";
import { newId } from "../../core/new-id.ts";

/** Below the minute after which many clients give a call up. */
const DEFAULT_WAIT_SECONDS = 45;

/** What ends within this needs no task. */
const SHORTEST_WAIT_SECONDS = 2;

const input = z.object({
  ...runInputMembers,
  waitSeconds: z
    .number()
    .min(0)
    .max(300)
    .default(DEFAULT_WAIT_SECONDS)
    .describe("How long to wait for the data; a run that takes longer goes on, and get_run gives it."),
  ...fieldsInput,
  ...maxAgeInput,
  tags: z.record(z.string(), z.string()).optional().describe("Labels of your own, kept with the run."),
  idempotencyKey: z
    .string()
    .regex(/^[!-~]{1,255}$/, { error: "1 to 255 visible ASCII characters" })
    .optional()
    .describe("Makes the run once, however often it is called with this key. Without one every call is a new run."),
});

export const runTool = defineTool({
  name: "run",
  title: "Run an endpoint (costs money)",
  description:
    "Run an endpoint and get its data. Charges the wallet by the endpoint's price; errors of the provider are not charged. " +
    "A run that takes longer than waitSeconds goes on: its runId comes back, and get_run gives the data.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input,
  output: RunAnswer,
  listed: listedOfRun,
  spends: true,
  async call({ waitSeconds, fields, idempotencyKey, ...request }, call) {
    // A task brings the whole output: where fields are asked for, the call is waited for, as ever.
    const isTask = call.knowsTasks && fields === undefined;
    const deadline = performance.now() + waitSeconds * 1000;
    const started = await startRunOnce(call.connect, {
      request: toRunRequest(request),
      key: idempotencyKey ?? newId(),
      waitSeconds: isTask ? SHORTEST_WAIT_SECONDS : waitSeconds,
      signal: call.signal,
    });
    if (isTask && !isTerminal(started)) return { lines: [], value: {}, task: toTask(started) };
    const run = await untilEnded(started, deadline, call);
    return { ...runAnswer(run, { fields }), isError: deliveredNothing(run) };
  },
});

async function untilEnded(run: AnyRun, deadline: number, call: ToolCall): Promise<AnyRun> {
  const leftSeconds = (deadline - performance.now()) / 1000;
  // A person may take hours: the agent has to tell its user now.
  if (isTerminal(run) || isAwaitingApproval(run) || leftSeconds <= 0) return run;
  return await watchRun(run.runId, leftSeconds, call);
}
