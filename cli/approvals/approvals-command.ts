import type { Approval } from "../../shared/contract/approvals.ts";
import { CliError } from "../core/cli-error.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { confirm } from "../input/confirm.ts";
import { listPages } from "../lists/list-pages.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { targetWords } from "../words/target.ts";
import { approvalRulesCommand } from "./rules-command.ts";
import { errorText } from "../../shared/error-text.ts";

/** Runs that wait for a person: what they would cost, and yes or no. */
export function approvalsCommand(context: CliContext): Command {
  return new Command("approvals")
    .description("Runs that wait for a person's approval: list, show, approve, deny, and rules that make them wait")
    .examples("mkt approvals")
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(approveCommand(context))
    .addCommand(denyCommand(context))
    .addCommand(approvalRulesCommand(context));
}

function listCommand(context: CliContext): Command {
  return withPaging(
    new Command("list")
      .description("List the runs that wait (what `mkt approvals` alone does)")
      .examples("mkt approvals --all --json"),
  ).action(async (paging: PagingFlags) => {
    const client = await context.client();
    await listPages(
      context,
      paging,
      (query) => client.listApprovals({ query }),
      async () => (await import("./ApprovalScreens.tsx")).ApprovalList,
    );
  });
}

function showCommand(context: CliContext): Command {
  return new Command("show")
    .description("Show what a run would cost, its input, and what became of its approval")
    .examples("mkt approvals show 01JV8Z…")
    .argument("<runId>")
    .action(async (runId: string) => {
      context.suggest(404, "mkt approvals");
      const client = await context.client();
      await context.output.show(await client.getApproval({ params: { runId } }), view);
    });
}

function approveCommand(context: CliContext): Command {
  return new Command("approve")
    .description("Approve runs, which then begin and cost money")
    .examples("mkt approvals approve 01JV8Z… --yes")
    .argument("<runId...>")
    .action(async (runIds: string[]) => {
      context.suggest(404, "mkt approvals");
      const client = await context.client();
      const asked = await Promise.all(runIds.map((runId) => client.getApproval({ params: { runId } })));
      await confirm(context, question(asked));
      await decideEach(context, runIds, (runId) => client.approveRun({ params: { runId } }));
    });
}

function denyCommand(context: CliContext): Command {
  return new Command("deny")
    .description("Deny runs: they end BLOCKED, and nothing is charged")
    .examples("mkt approvals deny 01JV8Z… --reason 'too dear'")
    .argument("<runId...>")
    .option("--reason <text>", "why; shown to whoever asked")
    .action(async (runIds: string[], { reason }: { reason?: string }) => {
      context.suggest(404, "mkt approvals");
      const client = await context.client();
      const body = reason === undefined ? {} : { reason };
      await decideEach(context, runIds, (runId) => client.denyRun({ params: { runId }, body }));
    });
}

const view = async () => (await import("./ApprovalScreens.tsx")).ApprovalDetail;

function question(asked: readonly Approval[]): string {
  const total = asked.reduce((sum, { maximum }) => sum + maximum.value, 0);
  const [first] = asked;
  const what =
    asked.length === 1 && first !== undefined ? `${targetWords(first)} (run ${first.runId})` : `${asked.length} runs`;
  return `Approve ${what}, for up to ${dollars(total)}?`;
}

/** One after the other: what is refused does not keep the others back, and is told at the end. */
async function decideEach(
  context: CliContext,
  runIds: readonly string[],
  decide: (runId: string) => Promise<Approval>,
): Promise<void> {
  const failed: unknown[] = [];
  for (const runId of runIds) {
    try {
      await context.output.show(await decide(runId), view);
    } catch (error) {
      if (runIds.length === 1) throw error;
      failed.push(error);
      await context.output.note(errorText(error));
    }
  }
  if (failed.length === 0) return;
  const code = failed.length === runIds.length ? exitCodes.failed : exitCodes.someDelivered;
  throw new CliError(code, `${failed.length} of ${runIds.length} runs could not be decided.`, {
    next: "mkt approvals",
  });
}
