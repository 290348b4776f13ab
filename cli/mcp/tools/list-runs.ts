import { z } from "zod";
import { RunPage, RunStatus, type RunListItem } from "../../../shared/contract/runs.ts";
import { DateTime } from "../../../shared/contract/common.ts";
import { dollars } from "../../../shared/words/money-words.ts";
import { runPriceWords } from "../../../shared/words/price-words.ts";
import { targetWords } from "../../words/target.ts";
import { moreWords } from "../more-words.ts";
import { pageInput } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";

export const listRunsTool = defineTool({
  name: "list_runs",
  title: "List runs",
  description: "The runs of the workspace, newest first, with status and cost, without input and output. Free.",
  annotations: readsOnly,
  input: z.object({
    status: z.array(z.enum(RunStatus.options)).min(1).optional().describe("Only runs with one of these."),
    provider: z.string().min(1).optional().describe("Only runs of this provider."),
    endpoint: z.string().min(1).optional().describe("Only runs of this endpoint path."),
    since: DateTime.optional().describe("Only runs made at or after this date and time."),
    ...pageInput,
  }),
  output: RunPage,
  async call(query, { connect, signal }) {
    const page = await (await connect()).listRuns({ query }, { signal });
    const [first] = page.items;
    const lines = [
      ...(first === undefined ? ["No runs."] : page.items.map(runWords)),
      ...(page.damaged ?? []).map((run) => `${run.runId} · ${targetWords(run)} · damaged: ${run.message}`),
      ...moreWords("list_runs", page.cursor),
      first === undefined ? "Next: discover, inspect, run." : `Next: get_run ${JSON.stringify({ runId: first.runId })}`,
    ];
    return { lines, value: page };
  },
});

function runWords(run: RunListItem): string {
  const cost = run.cost === undefined ? "cost not known yet" : `cost ${dollars(run.cost.value)}`;
  const answered = run.providerResponse === undefined ? "" : ` · provider answered ${run.providerResponse.httpStatus}`;
  return `${run.runId} · ${targetWords(run)} · ${run.status}${answered} · ${cost} (price ${runPriceWords(run.price, run)}) · ${run.createdAt}`;
}
