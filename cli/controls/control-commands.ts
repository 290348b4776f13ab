import type { Client } from "../../shared/client/client.ts";
import type { MoneyUnits } from "../../shared/contract/common.ts";
import type { ControlPeriod, ControlStatus, WorkspaceBudget, WorkspaceRunCap } from "../../shared/contract/controls.ts";
import { confirm } from "../input/confirm.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { listPages } from "../lists/list-pages.ts";
import { parseLimit, toUpper } from "../flags/option-values.ts";
import type { View } from "../screen/view.ts";
import { parseWindow } from "../flags/time-flags.ts";
import { type PageQuery, type PagingFlags, withPaging } from "../flags/paging-flags.ts";

/** Budgets: how much a workspace may spend in each hour, day, week or month. */
export function budgetsCommand(context: CliContext): Command {
  return controlCommand(context, budgets, "Limits on what the workspace spends in each hour, day, week or month")
    .addCommand(createBudgetCommand(context))
    .addCommand(budgetRunsCommand(context));
}

/** Run caps: how much any one run may cost. */
export function capsCommand(context: CliContext): Command {
  return controlCommand(context, caps, "Limits on the cost of a single run of the workspace")
    .alias("run-caps")
    .addCommand(createCapCommand(context))
    .addCommand(capRunsCommand(context));
}

interface Change {
  limitAmount?: MoneyUnits;
  status?: ControlStatus;
}

/** The operations of one kind of control, for the commands that both kinds share. */
interface ControlKind<Control> {
  readonly name: "budgets" | "caps";
  readonly noun: string;
  readonly list: (client: Client, query: PageQuery) => Promise<{ items: Control[]; cursor: string | null }>;
  readonly get: (client: Client, controlId: string) => Promise<Control>;
  readonly change: (client: Client, controlId: string, body: Change) => Promise<Control>;
  readonly delete: (client: Client, controlId: string) => Promise<undefined>;
  readonly listView: View<{ items: Control[]; cursor: string | null }>;
  readonly view: View<Control>;
}

const budgets: ControlKind<WorkspaceBudget> = {
  name: "budgets",
  noun: "budget",
  list: (client, query) => client.listBudgets({ query }),
  get: (client, budgetControlId) => client.getBudget({ params: { budgetControlId } }),
  change: (client, budgetControlId, body) => client.updateBudget({ params: { budgetControlId }, body }),
  delete: (client, budgetControlId) => client.deleteBudget({ params: { budgetControlId } }),
  listView: async () => (await import("./ControlScreens.tsx")).BudgetList,
  view: async () => (await import("./ControlScreens.tsx")).BudgetDetail,
};

const caps: ControlKind<WorkspaceRunCap> = {
  name: "caps",
  noun: "run cap",
  list: (client, query) => client.listRunCaps({ query }),
  get: (client, runCapControlId) => client.getRunCap({ params: { runCapControlId } }),
  change: (client, runCapControlId, body) => client.updateRunCap({ params: { runCapControlId }, body }),
  delete: (client, runCapControlId) => client.deleteRunCap({ params: { runCapControlId } }),
  listView: async () => (await import("./ControlScreens.tsx")).RunCapList,
  view: async () => (await import("./ControlScreens.tsx")).RunCapDetail,
};

function controlCommand<Control>(context: CliContext, kind: ControlKind<Control>, description: string): Command {
  return new Command(kind.name)
    .description(description)
    .examples(`mkt ${kind.name}`)
    .addCommand(listCommand(context, kind), { isDefault: true })
    .addCommand(getCommand(context, kind))
    .addCommand(updateCommand(context, kind))
    .addCommand(statusCommand(context, kind, "pause", "PAUSED"))
    .addCommand(statusCommand(context, kind, "resume", "ACTIVE"))
    .addCommand(deleteCommand(context, kind));
}

function listCommand<Control>(context: CliContext, kind: ControlKind<Control>): Command {
  return withPaging(
    new Command("list")
      .description(`List ${kind.noun}s (what \`mkt ${kind.name}\` alone does)`)
      .examples(`mkt ${kind.name} --all --json`),
  ).action(async (paging: PagingFlags) => {
    const client = await context.client();
    await listPages(context, paging, (query) => kind.list(client, query), kind.listView);
  });
}

function getCommand<Control>(context: CliContext, kind: ControlKind<Control>): Command {
  return new Command("get")
    .description(`Show a ${kind.noun}`)
    .examples(`mkt ${kind.name} get 01JV8Z…`)
    .argument("<id>")
    .action(async (controlId: string) => {
      context.suggest(404, `mkt ${kind.name}`);
      await context.output.show(await kind.get(await context.client(), controlId), kind.view);
    });
}

function updateCommand<Control>(context: CliContext, kind: ControlKind<Control>): Command {
  return new Command("update")
    .description(`Change the limit of a ${kind.noun}`)
    .argument("<id>")
    .requiredOption("--limit <dollars>", "the new limit", parseLimit)
    .examples(`mkt ${kind.name} update 01JV8Z… --limit 20`)
    .action(async (controlId: string, { limit }: { limit: MoneyUnits }) => {
      context.suggest(404, `mkt ${kind.name}`);
      const changed = await kind.change(await context.client(), controlId, { limitAmount: limit });
      await context.output.show(changed, kind.view);
    });
}

function statusCommand<Control>(
  context: CliContext,
  kind: ControlKind<Control>,
  name: "pause" | "resume",
  status: ControlStatus,
): Command {
  const what = name === "pause" ? "refuses nothing until it is resumed" : "refuses again what is above its limit";
  return new Command(name)
    .description(`A ${kind.noun} ${what}`)
    .examples(`mkt ${kind.name} ${name} 01JV8Z…`)
    .argument("<id>")
    .action(async (controlId: string) => {
      context.suggest(404, `mkt ${kind.name}`);
      await context.output.show(await kind.change(await context.client(), controlId, { status }), kind.view);
    });
}

function deleteCommand<Control>(context: CliContext, kind: ControlKind<Control>): Command {
  return new Command("delete")
    .description(`Delete a ${kind.noun}`)
    .examples(`mkt ${kind.name} delete 01JV8Z… --yes`)
    .argument("<id>")
    .action(async (controlId: string) => {
      context.suggest(404, `mkt ${kind.name}`);
      const client = await context.client();
      await confirm(context, `Delete the ${kind.noun} ${controlId}? It will no longer limit anything.`);
      await kind.delete(client, controlId);
      await context.output.done(`Deleted the ${kind.noun} ${controlId}.`);
    });
}

function createBudgetCommand(context: CliContext): Command {
  return new Command("create")
    .description("Create a budget; spending so far in its window counts")
    .requiredOption("--period <period>", "hour, day, week or month, in UTC", toPeriod)
    .requiredOption("--limit <dollars>", "what may be spent and held in each", parseLimit)
    .examples("mkt budgets create --period day --limit 5")
    .action(async ({ period, limit }: { period: ControlPeriod; limit: MoneyUnits }) => {
      const client = await context.client();
      const budget = await client.createBudget({ body: { period, limitAmount: limit } }, idempotent());
      await context.output.show(budget, budgets.view);
    });
}

function createCapCommand(context: CliContext): Command {
  return new Command("create")
    .description("Create a run cap")
    .requiredOption("--limit <dollars>", "what a run may cost at most", parseLimit)
    .examples("mkt caps create --limit 0.5")
    .action(async ({ limit }: { limit: MoneyUnits }) => {
      const client = await context.client();
      const runCap = await client.createRunCap({ body: { limitAmount: limit } }, idempotent());
      await context.output.show(runCap, caps.view);
    });
}

function budgetRunsCommand(context: CliContext): Command {
  return withPaging(new Command("runs").description("List the runs that a budget applied to in one of its windows"))
    .examples("mkt budgets runs 01JV8Z… --status SETTLED")
    .argument("<id>")
    .option(
      "--window-start <time>",
      "the window (in UTC) that this is in, such as yesterday (the current one)",
      parseWindow,
    )
    .option("--status <status>", "only HELD, SETTLED or RELEASED", toUpper)
    .action(async (budgetControlId: string, flags: PagingFlags & { windowStart?: string; status?: "HELD" }) => {
      context.suggest(404, "mkt budgets");
      const client = await context.client();
      const { limit, cursor, all, ...filters } = flags;
      await listPages(
        context,
        { limit, cursor, all },
        (page) => client.listBudgetRuns({ params: { budgetControlId }, query: { ...page, ...filters } }),
        async () => (await import("./ControlScreens.tsx")).BudgetRuns,
      );
    });
}

function capRunsCommand(context: CliContext): Command {
  return withPaging(new Command("runs").description("List the runs that a run cap applied to"))
    .examples("mkt caps runs 01JV8Z… --status BLOCKED")
    .argument("<id>")
    .option("--status <status>", "only PASSED or BLOCKED", toUpper)
    .action(async (runCapControlId: string, { status, ...paging }: PagingFlags & { status?: "PASSED" }) => {
      context.suggest(404, "mkt caps");
      const client = await context.client();
      const filters = status === undefined ? {} : { status };
      await listPages(
        context,
        paging,
        (page) => client.listRunCapRuns({ params: { runCapControlId }, query: { ...page, ...filters } }),
        async () => (await import("./ControlScreens.tsx")).RunCapRuns,
      );
    });
}

/** The service decides which periods exist. */
function toPeriod(value: string): ControlPeriod {
  return toUpper(value) as ControlPeriod;
}
