import { InvalidArgumentError } from "commander";
import { eventFilters } from "../../shared/contract/event-types.ts";
import type { CreatedWebhook, WebhookFormat } from "../../shared/contract/webhooks.ts";
import { findNearMisses } from "../../shared/near-misses.ts";
import { usageError } from "../core/cli-error.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { keepUnwritten } from "../command/keep-unwritten.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { parseNumber, toUpper } from "../flags/option-values.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { parsePastTime, pastTimeHelp } from "../flags/time-flags.ts";
import { confirm } from "../input/confirm.ts";
import { listPages } from "../lists/list-pages.ts";

/** Receivers that are told when something happens. docs/webhooks.md. */
export function webhooksCommand(context: CliContext): Command {
  return new Command("webhooks")
    .description("Tell other programs when runs end, budgets fill up, endpoints fail")
    .examples("mkt webhooks", "mkt webhooks create https://example.com/hook --event run.failed")
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(showCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(testCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(statusCommand(context, "enable"))
    .addCommand(statusCommand(context, "disable"))
    .addCommand(deleteCommand(context))
    .addCommand(deliveriesCommand(context))
    .addCommand(resendCommand(context));
}

const LIST = "mkt webhooks";

function listCommand(context: CliContext): Command {
  return new Command("list")
    .description("List webhooks (what `mkt webhooks` alone does)")
    .examples("mkt webhooks --json")
    .action(async () => {
      const page = await (await context.client()).listWebhooks();
      await context.output.list(page, page.items, async () => (await import("./WebhookScreens.tsx")).WebhookTable);
    });
}

interface CreateFlags {
  event?: string[];
  name?: string;
  format?: WebhookFormat;
}

function createCommand(context: CliContext): Command {
  return new Command("create")
    .description("Create a webhook and print its signing secret once")
    .argument("<url>", "where messages are sent, with https")
    .option("--event <type>", "only this, such as run.failed or budget.* (repeatable; all)", collectEvents)
    .option("--name <name>", "a name for it (its host)")
    .option("--format <format>", "standard, or slack for chat services", parseFormat)
    .examples(
      "mkt webhooks create https://example.com/hook --jq .secret -o hook.secret",
      "mkt webhooks create https://hooks.slack.com/services/T0/B0/x --format slack --event budget.reached",
    )
    .action(async (url: string, { event, name, format }: CreateFlags) => {
      context.suggest(409, LIST);
      const client = await context.client();
      const body = {
        url,
        ...(event !== undefined && { events: event }),
        ...(name !== undefined && { name }),
        ...(format !== undefined && { format }),
      };
      const made = await client.createWebhook({ body }, idempotent());
      await showSecret(context, made);
    });
}

/** Kept in a file when it cannot be printed: it is shown once. */
async function showSecret(context: CliContext, webhook: CreatedWebhook): Promise<void> {
  const keeping = {
    name: "webhook",
    text: `${JSON.stringify(webhook, null, 2)}\n`,
    next: context.output.command("webhooks", "rotate", webhook.webhookId),
  };
  await keepUnwritten(context, keeping, () =>
    context.output.show(webhook, async () => (await import("./WebhookScreens.tsx")).WebhookWithSecret, {
      data: webhook,
      isSecret: true,
    }),
  );
}

function showCommand(context: CliContext): Command {
  return new Command("show")
    .description("Show a webhook")
    .argument("<id>")
    .examples("mkt webhooks show 01JV8Z…")
    .action(async (webhookId: string) => {
      context.suggest(404, LIST);
      const webhook = await (await context.client()).getWebhook({ params: { webhookId } });
      await context.output.show(webhook, async () => (await import("./WebhookScreens.tsx")).WebhookDetail);
    });
}

function updateCommand(context: CliContext): Command {
  return new Command("update")
    .description("Change what a webhook is told of, or its name")
    .argument("<id>")
    .option("--event <type>", "only this from now on (repeatable; * for all)", collectEvents)
    .option("--name <name>", "its new name")
    .examples("mkt webhooks update 01JV8Z… --event run.failed --event budget.*")
    .action(async (webhookId: string, { event, name }: CreateFlags) => {
      if (event === undefined && name === undefined) throw usageError("Name what is to change: --event or --name");
      context.suggest(404, LIST);
      const body = { ...(event !== undefined && { events: event }), ...(name !== undefined && { name }) };
      const webhook = await (await context.client()).updateWebhook({ params: { webhookId }, body });
      await context.output.show(webhook, async () => (await import("./WebhookScreens.tsx")).WebhookDetail);
    });
}

function testCommand(context: CliContext): Command {
  return new Command("test")
    .description("Send a test message, and say what the receiver answered")
    .argument("<id>")
    .examples("mkt webhooks test 01JV8Z…")
    .action(async (webhookId: string) => {
      context.suggest(404, LIST);
      const delivery = await (await context.client()).testWebhook({ params: { webhookId } });
      if (delivery.state !== "DELIVERED") context.exitCode = exitCodes.failed;
      await context.output.show(delivery, async () => (await import("./WebhookScreens.tsx")).DeliveryDetail);
    });
}

function rotateCommand(context: CliContext): Command {
  return new Command("rotate")
    .description("Give a webhook a new signing secret; for a day the old one signs too")
    .argument("<id>")
    .option("--overlap-hours <hours>", "how long the old one signs too, 0 to 168 (24)", parseNumber)
    .examples("mkt webhooks rotate 01JV8Z…", "mkt webhooks rotate 01JV8Z… --overlap-hours 0")
    .action(async (webhookId: string, { overlapHours }: { overlapHours?: number }) => {
      context.suggest(404, LIST);
      const body = overlapHours === undefined ? {} : { overlapHours };
      const rotated = await (await context.client()).rotateWebhookSecret({ params: { webhookId }, body });
      await showSecret(context, rotated);
    });
}

function statusCommand(context: CliContext, name: "enable" | "disable"): Command {
  const what =
    name === "enable" ? "is told again; it then answers to your key" : "is told of nothing; what waits is dead";
  return new Command(name)
    .description(`A webhook ${what}`)
    .argument("<id>")
    .examples(`mkt webhooks ${name} 01JV8Z…`)
    .action(async (webhookId: string) => {
      context.suggest(404, LIST);
      const body = { status: name === "enable" ? ("ENABLED" as const) : ("DISABLED" as const) };
      const webhook = await (await context.client()).updateWebhook({ params: { webhookId }, body });
      await context.output.show(webhook, async () => (await import("./WebhookScreens.tsx")).WebhookDetail);
    });
}

function deleteCommand(context: CliContext): Command {
  return new Command("delete")
    .description("Delete a webhook with its deliveries")
    .argument("<id>")
    .examples("mkt webhooks delete 01JV8Z… --yes")
    .action(async (webhookId: string) => {
      context.suggest(404, LIST);
      const client = await context.client();
      await confirm(context, `Delete the webhook ${webhookId}? What waits for it is not sent.`);
      await client.deleteWebhook({ params: { webhookId } });
      await context.output.done(`Deleted the webhook ${webhookId}.`);
    });
}

function deliveriesCommand(context: CliContext): Command {
  return withPaging(new Command("deliveries"))
    .description("List what was and is to be sent to a webhook, newest first")
    .argument("<id>")
    .option("--state <state>", "only WAITING, DELIVERED or DEAD", toUpper)
    .examples("mkt webhooks deliveries 01JV8Z… --state DEAD")
    .action(async (webhookId: string, { state, ...paging }: PagingFlags & { state?: "DEAD" }) => {
      context.suggest(404, LIST);
      const client = await context.client();
      const filter = state === undefined ? {} : { state };
      await listPages(
        context,
        paging,
        (page) => client.listWebhookDeliveries({ params: { webhookId }, query: { ...page, ...filter } }),
        async () => (await import("./WebhookScreens.tsx")).DeliveryTable,
      );
    });
}

function resendCommand(context: CliContext): Command {
  return new Command("resend")
    .description("Send deliveries again: those named, or all dead ones since a time")
    .argument("<id>", "the webhook")
    .argument("[deliveries...]", "ids of deliveries, as `mkt webhooks deliveries` lists them")
    .option("--since <time>", `all dead ones of events since then, ${pastTimeHelp}`, parsePastTime)
    .examples("mkt webhooks resend 01JV8Z… msg_9f3a…", "mkt webhooks resend 01JV8Z… --since 2d")
    .action(async (webhookId: string, ids: string[], { since }: { since?: string }) => {
      if ((ids.length === 0) === (since === undefined)) {
        throw usageError("Name the deliveries, or give --since <time> for all dead ones since then");
      }
      context.suggest(404, `mkt webhooks deliveries ${webhookId}`);
      const body = since === undefined ? { ids } : { since };
      const resent = await (await context.client()).resendWebhookDeliveries({ params: { webhookId }, body });
      await context.output.show(resent, async () => (await import("./WebhookScreens.tsx")).Resent);
    });
}

function collectEvents(value: string, before: string[] = []): string[] {
  if (eventFilters.includes(value)) return [...before, value];
  const [near] = findNearMisses(value, eventFilters, 1);
  const advice = near === undefined ? `There are ${eventFilters.join(", ")}.` : `Did you mean ${near}?`;
  throw new InvalidArgumentError(`There is no event "${value}". ${advice}`);
}

function parseFormat(value: string): WebhookFormat {
  if (value === "standard" || value === "slack") return value;
  throw new InvalidArgumentError("It is standard or slack.");
}
