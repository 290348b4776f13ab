import { InvalidArgumentError } from "commander";
import type { MoneyUnits } from "../../shared/contract/common.ts";
import type { ControlStatus } from "../../shared/contract/controls.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { parseLimit } from "../flags/option-values.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { confirm } from "../input/confirm.ts";
import { listPages } from "../lists/list-pages.ts";

/** From which amount runs wait for a person. */
export function approvalRulesCommand(context: CliContext): Command {
  return new Command("rules")
    .description("From which amount runs wait for approval, of the workspace or of one key")
    .examples("mkt approvals rules")
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(getCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(statusCommand(context, "pause", "PAUSED"))
    .addCommand(statusCommand(context, "resume", "ACTIVE"))
    .addCommand(deleteCommand(context));
}

const list = "mkt approvals rules";
const view = async () => (await import("./ApprovalScreens.tsx")).ApprovalRuleDetail;

function listCommand(context: CliContext): Command {
  return withPaging(
    new Command("list").description(`List the rules (what \`${list}\` alone does)`).examples(`${list} --all --json`),
  ).action(async (paging: PagingFlags) => {
    const client = await context.client();
    await listPages(
      context,
      paging,
      (query) => client.listApprovalRules({ query }),
      async () => (await import("./ApprovalScreens.tsx")).ApprovalRuleList,
    );
  });
}

interface CreateFlags {
  above: MoneyUnits;
  key?: string;
  expires?: number;
}

function createCommand(context: CliContext): Command {
  return new Command("create")
    .description("Have runs that may cost more than an amount wait for approval")
    .requiredOption("--above <dollars>", "what a run may cost without approval", parseLimit)
    .option("--key <label>", "only runs of this key, and of keys that it makes")
    .option("--expires <time>", "how long they wait, such as 30m, 12h or 3d (24h)", parseSpan)
    .examples(`${list} create --above 5`)
    .action(async ({ above, key, expires }: CreateFlags) => {
      context.suggest(404, "mkt keys");
      const client = await context.client();
      const body = {
        limitAmount: above,
        ...(key !== undefined && { keyLabel: key }),
        ...(expires !== undefined && { expiresInSeconds: expires }),
      };
      await context.output.show(await client.createApprovalRule({ body }, idempotent()), view);
    });
}

function getCommand(context: CliContext): Command {
  return new Command("get")
    .description("Show a rule")
    .examples(`${list} get 01JV8Z…`)
    .argument("<id>")
    .action(async (ruleId: string) => {
      context.suggest(404, list);
      const client = await context.client();
      await context.output.show(await client.getApprovalRule({ params: { ruleId } }), view);
    });
}

function updateCommand(context: CliContext): Command {
  return new Command("update")
    .description("Change the amount of a rule, or how long runs wait; those that wait already are not affected")
    .argument("<id>")
    .option("--above <dollars>", "what a run may cost without approval", parseLimit)
    .option("--expires <time>", "how long they wait, such as 30m, 12h or 3d", parseSpan)
    .examples(`${list} update 01JV8Z… --above 20`)
    .action(async (ruleId: string, { above, expires }: Partial<CreateFlags>) => {
      context.suggest(404, list);
      const client = await context.client();
      const body = {
        ...(above !== undefined && { limitAmount: above }),
        ...(expires !== undefined && { expiresInSeconds: expires }),
      };
      await context.output.show(await client.updateApprovalRule({ params: { ruleId }, body }), view);
    });
}

function statusCommand(context: CliContext, name: "pause" | "resume", status: ControlStatus): Command {
  const what = name === "pause" ? "A rule has no run wait until it is resumed" : "A rule has runs wait again";
  return new Command(name)
    .description(what)
    .examples(`${list} ${name} 01JV8Z…`)
    .argument("<id>")
    .action(async (ruleId: string) => {
      context.suggest(404, list);
      const client = await context.client();
      await context.output.show(await client.updateApprovalRule({ params: { ruleId }, body: { status } }), view);
    });
}

function deleteCommand(context: CliContext): Command {
  return new Command("delete")
    .description("Delete a rule")
    .examples(`${list} delete 01JV8Z… --yes`)
    .argument("<id>")
    .action(async (ruleId: string) => {
      context.suggest(404, list);
      const client = await context.client();
      await confirm(context, `Delete the approval rule ${ruleId}? Runs will no longer wait because of it.`);
      await client.deleteApprovalRule({ params: { ruleId } });
      await context.output.done(`Deleted the approval rule ${ruleId}.`);
    });
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A span such as `12h`, in seconds. The service decides how long one may be. */
function parseSpan(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? [];
  const seconds = SECONDS[unit];
  if (count !== undefined && seconds !== undefined) return Number(count) * seconds;
  throw new InvalidArgumentError("It must be a time such as 30m, 12h or 3d.");
}
