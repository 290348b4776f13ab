import { z } from "zod";
import { readBinaryOutput } from "../../shared/binary-output.ts";
import type { PartRequest } from "../../shared/output-part.ts";
import { countWords } from "../../shared/count-words.ts";
import { Run } from "../../shared/contract/runs.ts";
import { exitCodeOfRun, exitCodes, isAwaitingApproval } from "../core/exit-codes.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { runPriceWords } from "../../shared/words/price-words.ts";
import { earlierWords } from "../run/outcome-line.ts";
import { progressWords } from "../run/progress-words.ts";
import { routeLines } from "../words/route-words.ts";
import { parseFieldPaths } from "../projection/field-path.ts";
import { selectFields } from "../projection/select-fields.ts";
import { unmatchedWords } from "../projection/unmatched-words.ts";
import { describeOutcome, isTerminal, type AnyRun } from "../run/run-outcome.ts";
import { targetWords } from "../words/target.ts";
import { fitValue } from "./fit-value.ts";
import { hintWords } from "./hint-words.ts";
import { pageValue, type ValuePage } from "./page-value.ts";
import type { ToolAnswer } from "./tool.ts";

/** A run as `run`, `get_run` and `stop_run` give it: whatever the service says of it, its output perhaps shortened. */
export const RunAnswer = Run.partial()
  .required({ runId: true, provider: true, endpoint: true, status: true, price: true, createdAt: true })
  .extend({
    cut: z.array(z.string()).optional().meta({
      description:
        "What was left out, of the output or the input; get_run with offset or fields gives the rest of the output.",
    }),
  });

/** What a reader of runs looks for, though not every run has it. */
export const listedOfRun = ["output", "cost", "resultCount", "providerResponse", "reason", "cut"] as const;

/** The most characters of an output, as JSON, that are returned: about 5,000 tokens. */
export const MAX_OUTPUT_CHARACTERS = 20_000;

/** The caller knows the input; this is for readers of somebody else's run. */
const MAX_INPUT_CHARACTERS = 4_000;

/** What a provider sent along with an error: enough to see why. */
const MAX_ERROR_CHARACTERS = 2_000;

/** The part of the output that is asked for. */
export interface OutputRequest extends PartRequest {
  readonly fields?: readonly string[] | undefined;
}

/** The run in words and as data: how it stands, what it cost, what it gave, and what to call next. */
export function runAnswer(run: AnyRun, asked: OutputRequest = {}): ToolAnswer {
  const selected = selectOutput(withoutBytes(run.output, asked), asked.fields);
  const page = pageValue(selected.output, asked, MAX_OUTPUT_CHARACTERS);
  const { value: output, cut } = page;
  const input = fitValue(run.input, MAX_INPUT_CHARACTERS, "input");
  const allCut = [...cut, ...input.cut];
  const lines = [
    statusWords(run),
    ...(describeOutcome(run) === undefined ? [] : [String(describeOutcome(run))]),
    costWords(run),
    ...routeLines(run),
    ...(run.notes ?? []).map((note) => `Note: ${note}`),
    ...selected.notes,
    ...bytesWords(run),
    ...(isPresent(output) ? [`Output: ${JSON.stringify(output)}`] : []),
    ...(cut.length === 0 ? [] : cutLines(run, asked, page)),
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

/** Whether a run has ended, and without data. */
export function deliveredNothing(run: AnyRun): boolean {
  return isTerminal(run) && exitCodeOfRun(run) !== exitCodes.delivered;
}

/** How the run stands, in one line; of one that waits for a person, what the agent has to tell its user. */
export function standingWords(run: AnyRun): string {
  return isAwaitingApproval(run) ? `${statusWords(run)} ${goesOnWords(run)}` : statusWords(run);
}

function statusWords(run: AnyRun): string {
  const results = typeof run.resultCount === "number" ? `, ${countWords(run.resultCount, "result")}` : "";
  const progress = run.progress === undefined || isTerminal(run) ? "" : ` (${progressWords(run)})`;
  return `Run ${run.runId} of ${targetWords(run)}: ${run.status}${progress}${results}.`;
}

function goesOnWords(run: AnyRun): string {
  const { runId, approval } = run;
  if (approval !== undefined && isAwaitingApproval(run)) {
    const again = `get_run ${JSON.stringify({ runId, waitSeconds: 60 })}`;
    return (
      `It has not begun: it may cost ${dollars(approval.maximum.value)}, and a person has to approve what costs more than ` +
      `${dollars(approval.above.value)}. Tell your user: mkt approvals show ${runId}, until ${approval.expiresAt}. ` +
      `Do not run it again. To look how it stands: ${again}`
    );
  }
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
      if (run.approval !== undefined)
        return ["Next: do not run it again as it is; ask your user, or run something cheaper."];
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

/** Base64 is of no use to a reader of words: it is given only where a part of it is asked for. */
function withoutBytes(output: unknown, { offset, limit }: OutputRequest): unknown {
  const binary = readBinaryOutput(output);
  if (binary === undefined || offset !== undefined || limit !== undefined) return output;
  const { base64: _, ...facts } = binary;
  return facts;
}

function bytesWords({ runId, output }: AnyRun): string[] {
  const binary = readBinaryOutput(output);
  if (binary === undefined) return [];
  return [
    `The data is ${countWords(binary.bytes, "byte")} of ${binary.contentType}. Into a file, by a person or a shell: ` +
      `mkt get-run ${runId} -o <file>. As base64: get_run ${JSON.stringify({ runId, offset: 0 })}`,
  ];
}

function costWords(run: AnyRun): string {
  const price = `price ${runPriceWords(run.price, run)}`;
  const earlier = earlierWords(run);
  if (earlier !== undefined) return `Cost: nothing: the answer of ${earlier} (${price}).`;
  if (run.cost !== undefined) return `Cost: ${dollars(run.cost.value)} (${price}).`;
  return isTerminal(run) ? `Cost: nothing (${price}).` : `Cost: not known until it has ended (${price}).`;
}

function selectOutput(output: unknown, fields: readonly string[] = []): { output: unknown; notes: string[] } {
  if (fields.length === 0 || !isPresent(output)) return { output, notes: [] };
  const paths = fields.flatMap((field) => parseFieldPaths(field));
  const { value, unmatched } = selectFields(output, paths);
  const notes = unmatched.map((path) => unmatchedWords(output, path));
  return unmatched.length === paths.length ? { output, notes } : { output: value, notes };
}

/** Each of these calls can be made as it stands. */
function cutLines({ runId }: AnyRun, { fields: asked, limit }: OutputRequest, page: ValuePage): string[] {
  const { cut, nextOffset, fields } = page;
  const next = { runId, ...(asked !== undefined && { fields: asked }), offset: nextOffset };
  return [
    `The output was shortened for you: ${cut.join("; ")}.`,
    ...(nextOffset === undefined
      ? []
      : [`What comes next: get_run ${JSON.stringify({ ...next, ...(limit !== undefined && { limit }) })}`]),
    ...(asked !== undefined || fields.length === 0
      ? []
      : [`Only some members of it: get_run ${JSON.stringify({ runId, fields })}`]),
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
