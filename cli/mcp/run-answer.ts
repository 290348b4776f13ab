import { z } from "zod";
import { countWords } from "../../shared/count-words.ts";
import { Run } from "../../shared/contract/runs.ts";
import { exitCodeOfRun, exitCodes } from "../core/exit-codes.ts";
import { dollars } from "../words/money-words.ts";
import { runPriceWords } from "../words/price-words.ts";
import { progressWords } from "../run/progress-words.ts";
import { parseFieldPaths } from "../projection/field-path.ts";
import { selectFields } from "../projection/select-fields.ts";
import { unmatchedWords } from "../projection/unmatched-words.ts";
import { describeOutcome, isTerminal, type AnyRun } from "../run/run-outcome.ts";
import { targetWords } from "../words/target.ts";
import { fitValue } from "./fit-value.ts";
import { hintWords } from "./hint-words.ts";
import type { ToolAnswer } from "./tool.ts";

/** A run as `run`, `get_run` and `stop_run` give it: whatever the service says of it, its output perhaps shortened. */
export const RunAnswer = Run.partial()
  .required({ runId: true, provider: true, endpoint: true, status: true, price: true, createdAt: true })
  .extend({
    cut: z.array(z.string()).optional().meta({
      description:
        "What was left out, of the output or the input; get_run with fields gives parts of the output whole.",
    }),
  });

/** The most characters of an output, as JSON, that are returned: about 5,000 tokens. */
export const MAX_OUTPUT_CHARACTERS = 20_000;

/** The caller knows the input; this is for readers of somebody else's run. */
const MAX_INPUT_CHARACTERS = 4_000;

/** What a provider sent along with an error: enough to see why. */
const MAX_ERROR_CHARACTERS = 2_000;

/** The run in words and as data: how it stands, what it cost, what it gave, and what to call next. */
export function runAnswer(run: AnyRun, fields: readonly string[] = []): ToolAnswer {
  const selected = selectOutput(run.output, fields);
  const { value: output, cut } = fitValue(selected.output, MAX_OUTPUT_CHARACTERS);
  const input = fitValue(run.input, MAX_INPUT_CHARACTERS, "input");
  const allCut = [...cut, ...input.cut];
  const lines = [
    statusWords(run),
    ...(describeOutcome(run) === undefined ? [] : [String(describeOutcome(run))]),
    costWords(run),
    ...(run.notes ?? []).map((note) => `Note: ${note}`),
    ...selected.notes,
    ...(isPresent(output) ? [`Output: ${JSON.stringify(output)}`] : []),
    ...(cut.length === 0 ? [] : cutLines(run, cut)),
    ...(isTerminal(run) ? failureWords(run) : [goesOnWords(run)]),
    ...hintWords("Next", run.hints),
  ];
  return {
    lines,
    value: {
      ...run,
      ...("output" in run && { output: output ?? null }),
      ...(input.cut.length > 0 && { input: input.value ?? {} }),
      ...(run.providerResponse !== undefined && { providerResponse: withSmallError(run.providerResponse) }),
      ...(allCut.length > 0 && { cut: allCut }),
    },
  };
}

function statusWords(run: AnyRun): string {
  const results = typeof run.resultCount === "number" ? `, ${countWords(run.resultCount, "result")}` : "";
  const progress = run.progress === undefined || isTerminal(run) ? "" : ` (${progressWords(run)})`;
  return `Run ${run.runId} of ${targetWords(run)}: ${run.status}${progress}${results}.`;
}

function goesOnWords({ runId }: AnyRun): string {
  return `It goes on in the background. To wait for its data: get_run ${JSON.stringify({ runId, waitSeconds: 60 })}`;
}

/** What to do about a run that ended without data. */
function failureWords(run: AnyRun): string[] {
  const target = JSON.stringify({ provider: run.provider, endpoint: run.endpoint });
  switch (run.status) {
    case "COMPLETED":
      if (exitCodeOfRun(run) === exitCodes.delivered) return [];
      return [
        `Next: inspect ${target} shows the input that it takes; with other input, or at another endpoint, it may work.`,
      ];
    case "BLOCKED":
      return [
        "Next: ask a person to raise the limit that refused it (mkt budgets, mkt caps), or run something cheaper.",
      ];
    case "FAILED":
    case "TIMED_OUT":
      return ["Next: run it again, or run another endpoint that discover finds."];
    default:
      return [];
  }
}

function costWords(run: AnyRun): string {
  const price = `price ${runPriceWords(run.price, run)}`;
  if (run.cost !== undefined) return `Cost: ${dollars(run.cost.value)} (${price}).`;
  return isTerminal(run) ? `Cost: nothing (${price}).` : `Cost: not known until it has ended (${price}).`;
}

function selectOutput(output: unknown, fields: readonly string[]): { output: unknown; notes: string[] } {
  if (fields.length === 0 || !isPresent(output)) return { output, notes: [] };
  const paths = fields.flatMap((field) => parseFieldPaths(field));
  const { value, unmatched } = selectFields(output, paths);
  const notes = unmatched.map((path) => unmatchedWords(output, path));
  return unmatched.length === paths.length ? { output, notes } : { output: value, notes };
}

function cutLines({ runId }: AnyRun, cut: readonly string[]): string[] {
  return [
    `The output was shortened for you: ${cut.join("; ")}.`,
    `For the parts that you need: get_run ${JSON.stringify({ runId, fields: ["name", "other.name"] })}`,
    `All of it into a file, by a person or a shell: mkt get-run ${runId} -o ${runId}.json`,
  ];
}

function withSmallError(answer: NonNullable<AnyRun["providerResponse"]>): AnyRun["providerResponse"] {
  if (answer.error?.body === undefined) return answer;
  const { value } = fitValue(answer.error.body, MAX_ERROR_CHARACTERS);
  return { ...answer, error: { ...answer.error, body: value } };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
