import type { SpendLimit } from "../../shared/contract/key-limits.ts";
import type { Money } from "../../shared/contract/common.ts";
import type { Schedule } from "../../shared/contract/schedules.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import {
  collectPairs,
  parseAmount,
  parseCount,
  parseDeadline,
  parseMaxAge,
  parseOffset,
  toUpper,
} from "../flags/option-values.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { parseSpendLimit } from "../flags/spend-limit.ts";
import { usageError } from "../core/cli-error.ts";
import { hasInputWords } from "../input/coerce-input.ts";
import { confirm } from "../input/confirm.ts";
import { listPages } from "../lists/list-pages.ts";
import { reportRun } from "../run/report-run.ts";
import { runAnswer } from "../run/run-outcome.ts";
import { readGivenInput, readRunRequest, type RunRequestFlags, withRunRequest } from "../run/run-request.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import type { View } from "../screen/view.ts";

const detail: View<Schedule> = async () => (await import("./ScheduleScreens.tsx")).ScheduleDetail;

/** Runs that the daemon makes at certain times. */
export function schedulesCommand(context: CliContext): Command {
  return new Command("schedules")
    .description("Runs at certain times: create, list, pause, and what became of each")
    .examples("mkt schedules", 'mkt schedules create --cron "0 7 * * 1-5" --tz Europe/Lisbon atlas/time/now')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(showCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(historyCommand(context))
    .addCommand(pauseCommand(context))
    .addCommand(resumeCommand(context))
    .addCommand(runNowCommand(context))
    .addCommand(deleteCommand(context));
}

interface ScheduleWords {
  readonly tz?: string | undefined;
  readonly name?: string | undefined;
  readonly missed?: string | undefined;
  readonly pauseAfter?: number | undefined;
}

interface CreateFlags extends RunRequestFlags {
  cron: string;
  tz?: string;
  name?: string;
  missed?: string;
  overlap?: true;
  budget?: SpendLimit;
  pauseAfter?: number;
}

function createCommand(context: CliContext): Command {
  return withRunRequest(new Command("create"))
    .description("Create a schedule; its runs are made with your key, and with its limits")
    .requiredOption("--cron <pattern>", 'minute, hour, day, month and weekday: "0 7 * * 1-5" is 07:00 on workdays')
    .option("--tz <zone>", "the time zone of the pattern, such as Europe/Lisbon (UTC)")
    .option("--name <name>", "a name for it")
    .option("--missed <rule>", "what was due while nothing could run: skip (default), or once for the last of it")
    .option("--overlap", "run even while an earlier run of it is open")
    .option("--budget <amount>", "what its runs may spend per period, such as 5/month", parseSpendLimit)
    .option("--pause-after <n>", "pause it after this many failures in a row (5)", parseCount)
    .examples(
      'mkt schedules create --cron "0 7 * * 1-5" --tz Europe/Lisbon atlas/time/now',
      'mkt schedules create --cron "*/15 * * * *" --budget 5/month --max-cost 0.01 atlas/sun latitude=38.7 longitude=-9.1',
    )
    .action(async (endpoint: string, words: string[], flags: CreateFlags) => {
      const { client, request } = await readRunRequest(context, endpoint, words, flags);
      const { cron, overlap, budget } = flags;
      const own = { ...(overlap !== undefined && { overlap }), ...(budget !== undefined && { budget }) };
      const made = await client.createSchedule(
        { body: { ...request, cron, ...own, ...scheduleOf(flags) } },
        idempotent(),
      );
      await context.output.show(made, detail);
    });
}

/** What is said alike when a schedule is made and when it is changed. */
function scheduleOf({ tz, name, missed, pauseAfter }: ScheduleWords) {
  return {
    ...(tz !== undefined && { timeZone: tz }),
    ...(name !== undefined && { name }),
    // Which rules exist is for the service to say.
    ...(missed !== undefined && { missed: toUpper(missed) as "SKIP" }),
    ...(pauseAfter !== undefined && { pauseAfterFailures: pauseAfter }),
  };
}

interface UpdateFlags extends Omit<
  CreateFlags,
  "overlap" | "cron" | "budget" | "maxCost" | "maxPages" | "maxAge" | "allowUncertainRepeats"
> {
  cron?: string;
  overlap?: boolean;
  budget?: SpendLimit | false;
  maxCost?: Money | false;
  maxPages?: number | false;
  maxAge?: number | false;
  allowUncertainRepeats?: boolean;
  revision?: number;
}

function updateCommand(context: CliContext): Command {
  return new Command("update")
    .description("Change a schedule; from now on its runs are made with your key")
    .argument("<id>")
    .argument("[input...]", "key=value, key:=json, or file=@path: the whole input, in place of the former one")
    .option("-i, --input <json>", "the whole input: JSON, @file, or - for standard input")
    .option("--cron <pattern>", "minute, hour, day, month and weekday")
    .option("--tz <zone>", "the time zone of the pattern, such as Europe/Lisbon")
    .option("--name <name>", "its new name; a change of the name alone keeps the key of its runs")
    .option("--missed <rule>", "what was due while nothing could run: skip, or once for the last of it")
    .option("--overlap", "run even while an earlier run of it is open")
    .option("--no-overlap", "make no run while an earlier one is open")
    .option("--budget <amount>", "what its runs may spend per period, such as 5/month", parseSpendLimit)
    .option("--no-budget", "take its budget away")
    .option("--max-cost <dollars>", "make no run that could cost more", parseAmount)
    .option("--no-max-cost", "take that limit away")
    .option("--max-pages <n>", "read at most this many pages of a list", parseCount)
    .option("--no-max-pages", "take that limit away")
    .option("--max-age <age>", "take the answer of an earlier run, if it is at most this old: 1h", parseMaxAge)
    .option("--no-max-age", "take no answers of earlier runs")
    .option("--allow-uncertain-repeats", "of a route: go on also where a member may have been executed")
    .option("--no-allow-uncertain-repeats", "go on only where it is certain that nothing ran")
    .option("--deadline-seconds <n>", "time limit of each run, at least 1", parseDeadline)
    .option("--tag <name=value>", "all labels of its runs, in place of the former ones (repeatable)", collectPairs)
    .option("--pause-after <n>", "pause it after this many failures in a row", parseCount)
    .option("--revision <n>", "only while it still has this revision", parseOffset)
    .examples(
      'mkt schedules update 01JV8Z… --cron "0 6 * * 1-5" --tz Europe/Lisbon',
      "mkt schedules update 01JV8Z… --budget 10/month --no-max-cost",
    )
    .action(async (scheduleId: string, words: string[], flags: UpdateFlags) => {
      context.suggest(404, "mkt schedules");
      const client = await context.client();
      const asked = { ...flags } as RunRequestFlags;
      const isInput = flags.input !== undefined || hasInputWords({ words, ...asked });
      const target = isInput ? await client.getSchedule({ params: { scheduleId } }) : undefined;
      const input = target && (await readGivenInput(context, target, words, asked));
      const changes = { ...changesOf(flags), ...(input !== undefined && { input }) };
      if (Object.keys(changes).length === 0)
        throw usageError("Name what is to change, such as --cron, --budget or its input");
      const { revision } = flags;
      const body = { ...changes, ...(revision !== undefined && { revision }) };
      await context.output.show(await client.updateSchedule({ params: { scheduleId }, body }), detail);
    });
}

function changesOf({ cron, tz, name, missed, overlap, budget, pauseAfter, ...limits }: UpdateFlags) {
  const { maxCost, maxPages, maxAge, allowUncertainRepeats, tag, deadlineSeconds } = limits;
  return {
    ...(cron !== undefined && { cron }),
    ...scheduleOf({ tz, name, missed, pauseAfter }),
    ...(overlap !== undefined && { overlap }),
    // false: --no-…
    ...(budget !== undefined && { budget: budget || null }),
    ...(maxCost !== undefined && { maxCost: maxCost || null }),
    ...(maxPages !== undefined && { maxPages: maxPages || null }),
    ...(maxAge !== undefined && { maxAge: maxAge || null }),
    ...(allowUncertainRepeats !== undefined && { allowUncertainRepeats: allowUncertainRepeats || null }),
    ...(tag !== undefined && { tags: tag }),
    ...(deadlineSeconds !== undefined && { deadlineMs: deadlineSeconds * 1_000 }),
  };
}

function listCommand(context: CliContext): Command {
  return withPaging(new Command("list"))
    .description("List schedules, newest first (what `mkt schedules` alone does)")
    .examples("mkt schedules --all --json")
    .action(async (paging: PagingFlags) => {
      const client = await context.client();
      await listPages(
        context,
        paging,
        (query) => client.listSchedules({ query }),
        async () => (await import("./ScheduleScreens.tsx")).ScheduleList,
      );
    });
}

function showCommand(context: CliContext): Command {
  return ofOne("show", "Show a schedule, with its next due times").action(async (scheduleId: string) => {
    context.suggest(404, "mkt schedules");
    await context.output.show(await (await context.client()).getSchedule({ params: { scheduleId } }), detail);
  });
}

function historyCommand(context: CliContext): Command {
  return ofOne("history", "Show what became of its latest due times").action(async (scheduleId: string) => {
    context.suggest(404, "mkt schedules");
    const history = await (await context.client()).listScheduleOccurrences({ params: { scheduleId } });
    await context.output.list(history, history.items, async () =>
      (await import("./ScheduleScreens.tsx")).createScheduleHistory(scheduleId),
    );
  });
}

function pauseCommand(context: CliContext): Command {
  return ofOne("pause", "Make no runs until it is resumed").action(async (scheduleId: string) => {
    context.suggest(404, "mkt schedules");
    await context.output.show(await (await context.client()).pauseSchedule({ params: { scheduleId } }), detail);
  });
}

function resumeCommand(context: CliContext): Command {
  return ofOne("resume", "Make runs again, from now on with your key").action(async (scheduleId: string) => {
    context.suggest(404, "mkt schedules");
    await context.output.show(await (await context.client()).resumeSchedule({ params: { scheduleId } }), detail);
  });
}

function runNowCommand(context: CliContext): Command {
  return ofOne("run-now", "Run it once now, with your key").action(async (scheduleId: string) => {
    context.suggest(404, "mkt schedules");
    context.suggest(409, shellLine("mkt", "schedules", "history", scheduleId));
    const client = await context.client();
    const run = await runAnswer(client.runSchedule({ params: { scheduleId } }, idempotent()));
    await reportRun(context, run, {
      waited: false,
      view: async () => (await import("../run/RunResult.tsx")).RunResult,
    });
  });
}

function deleteCommand(context: CliContext): Command {
  return ofOne("delete", "Delete a schedule; its runs stay", " --yes").action(async (scheduleId: string) => {
    context.suggest(404, "mkt schedules");
    const client = await context.client();
    await confirm(context, `Delete the schedule ${scheduleId}? It makes no more runs.`);
    await client.deleteSchedule({ params: { scheduleId } });
    await context.output.done(`Deleted the schedule ${scheduleId}.`);
  });
}

function ofOne(name: string, description: string, flags = ""): Command {
  return new Command(name).description(description).examples(`mkt schedules ${name} 01JV8Z…${flags}`).argument("<id>");
}
