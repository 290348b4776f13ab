import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Schedule, ScheduleHistory, ScheduleOccurrence, SchedulePage } from "../../shared/contract/schedules.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import { exactTime, timeWords, whenWords } from "../words/time-words.ts";
import { Facts } from "../screen/Facts.tsx";
import { type NextStep, NextSteps } from "../screen/NextSteps.tsx";
import { statusColor } from "../screen/status-color.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

export function ScheduleList({ value: { items } }: ViewProps<SchedulePage>): ReactElement {
  const [first] = items;
  const steps: NextStep[] =
    first === undefined
      ? [{ what: "Make one", command: 'mkt schedules create --cron "0 7 * * 1-5" --tz Europe/Lisbon atlas/time/now' }]
      : [{ what: "What became of one", command: shellLine("mkt", "schedules", "history", first.scheduleId) }];
  return (
    <Box flexDirection="column">
      {first === undefined ? (
        <Text>No schedules.</Text>
      ) : (
        <Table
          rows={items}
          columns={[
            { title: "schedule", cell: ({ scheduleId }) => scheduleId },
            { title: "name", cell: ({ name }) => name ?? "" },
            { title: "runs", cell: targetWords },
            { title: "times", cell: timesWords },
            { title: "next", cell: ({ next: [due] }) => (due === undefined ? "" : whenWords(due)) },
            { title: "status", cell: ({ status }) => status, color: ({ status }) => statusColor(status) },
          ]}
        />
      )}
      <NextSteps steps={steps} />
    </Box>
  );
}

export function ScheduleDetail({ value }: ViewProps<Schedule>): ReactElement {
  const { scheduleId, pause, budget, next } = value;
  const [due, ...later] = next;
  return (
    <Box flexDirection="column">
      <Text bold>{`${targetWords(value)}, ${timesWords(value)}`}</Text>
      <Facts
        facts={[
          ["schedule", scheduleId],
          ["name", value.name],
          ["status", value.status, statusColor(value.status)],
          ["why", pause && `${pause.message} (${timeWords(pause.at)})`],
          ["next", due && timeWords(due)],
          ["then", later.length === 0 ? undefined : later.map(exactTime).join(", ")],
          ["missed", value.missed === "ONCE" ? "the last one is made up for" : "skipped"],
          ["overlap", value.overlap ? "runs may overlap" : undefined],
          ["budget", budget && budgetWords(budget)],
          ["a run at most", value.maxCost && dollars(value.maxCost.value)],
          [
            "earlier answers",
            value.maxAge === undefined
              ? undefined
              : `taken for nothing up to ${durationWords(value.maxAge * 1_000)} old`,
          ],
          ["uncertain ends", value.allowUncertainRepeats && "go on to the next member of the route"],
          ["failures", `${value.failures} in a row; paused at ${value.pauseAfterFailures}`],
          ["acts as", value.actsAs],
          ["before", value.takenOverFrom && `${value.takenOverFrom}; its runs are now made with your key`],
          ["revision", value.revision === 0 ? undefined : `${value.revision}`],
        ]}
      />
      <NextSteps
        steps={[
          { what: "What became of it", command: shellLine("mkt", "schedules", "history", scheduleId) },
          pause === undefined
            ? { what: "Try it now", command: shellLine("mkt", "schedules", "run-now", scheduleId) }
            : { what: "Go on", command: shellLine("mkt", "schedules", "resume", scheduleId) },
        ]}
      />
    </Box>
  );
}

export function createScheduleHistory(scheduleId: string) {
  return function History({ value: { items } }: ViewProps<ScheduleHistory>): ReactElement {
    return (
      <Box flexDirection="column">
        {items.length === 0 ? (
          <Text>It has not been due yet.</Text>
        ) : (
          <Table
            rows={items}
            columns={[
              { title: "due", cell: ({ dueAt }) => (dueAt === undefined ? "asked for" : exactTime(dueAt)) },
              { title: "outcome", cell: outcomeWords, color: ({ runStatus }) => statusColor(runStatus) },
              { title: "run", cell: ({ runId }) => runId ?? "" },
              { title: "why", cell: whyWords },
            ]}
          />
        )}
        <NextSteps steps={[{ what: "Its runs", command: shellLine("mkt", "runs", "--schedule", scheduleId) }]} />
      </Box>
    );
  };
}

function timesWords({ cron, timeZone }: Schedule): string {
  return `${cron} (${timeZone})`;
}

function budgetWords({ amount, period, left, resetsAt }: NonNullable<Schedule["budget"]>): string {
  return `${dollars(amount.value)} each ${period.toLowerCase()}, ${dollars(left.value)} left until ${exactTime(resetsAt)}`;
}

function outcomeWords({ outcome, runStatus, failed }: ScheduleOccurrence): string {
  const how = outcome === "RUN" ? (runStatus ?? "running") : outcome;
  return failed === true ? `${how}, failed` : how;
}

function whyWords({ message, missed }: ScheduleOccurrence): string {
  const more = missed === undefined ? undefined : `${missed} due before it had no run`;
  return [message, more].filter((part) => part !== undefined).join("; ");
}
