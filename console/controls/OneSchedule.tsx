import { useState } from "preact/hooks";
import type { ScheduleOccurrence } from "../../shared/contract/schedules.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Facts } from "../parts/Facts.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Section } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { go, href } from "../page/route.ts";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { useOnce } from "../service/use-once.ts";
import { counted, moneyText, toMicros } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { ScheduleForm } from "./ScheduleForm.tsx";

/** `#/controls/schedules/<id>`: when it runs next, what it may spend, and what became of its latest times. */
export function OneSchedule({ scheduleId }: { readonly scheduleId: string }) {
  const params = { scheduleId };
  const schedule = useLoaded(scheduleId, async (client, signal) => client.getSchedule({ params }, { signal }));
  const history = useLoaded(scheduleId, async (client, signal) =>
    client.listScheduleOccurrences({ params }, { signal }),
  );
  useReloadOn(["schedule", "run", "reset"], () => {
    schedule.reload();
    history.reload();
  });
  const [isChanging, setChanging] = useState(false);
  const once = useOnce(scheduleId);
  const runNow = async () => {
    const here = location.hash;
    if (!(await ask("Run it now?", "A run more, besides its times, made with your key.", "Run now"))) return;
    const runId = await api()
      .runSchedule({ params }, { headers: once.headers })
      .catch((error: unknown) => runOf(error))
      .then((run) => ("runId" in run ? run.runId : undefined));
    once.done();
    if (runId === undefined) return;
    // The answer may take minutes: whoever went on is not called back.
    if (location.hash === here) go(href(["runs", runId]));
    else say("The run of the schedule has ended: it is among the runs.");
  };
  return (
    <>
      <p class="back">
        <a href={href(["controls", "schedules"])}>All schedules</a>
      </p>
      <Shown of={schedule}>
        {(one) => (
          <Section
            title={inertText(one.name ?? `${one.provider}${one.endpoint}`)}
            aside={
              <div class="actions">
                {may("runSchedule") && (
                  <Button icon="play" onPress={runNow}>
                    Run now
                  </Button>
                )}
                {may("updateSchedule") && <Button onPress={() => setChanging(true)}>Change</Button>}
                <a class="button" href={href(["runs"], { tag: `schedule:${scheduleId}` })}>
                  Its runs
                </a>
              </div>
            }
          >
            <Facts
              facts={[
                ["Runs", <Inert key="e" text={`${one.provider}${one.endpoint}`} />],
                ["When", `${inertText(one.cron)} · ${inertText(one.timeZone)}`],
                ["Status", <Status key="s" status={one.status} />],
                ["Why", one.pause && <Inert text={one.pause.message} />],
                [
                  "Next times",
                  one.next.length > 0 && (
                    <ol class="plain">
                      {one.next.map((at) => (
                        <li key={at}>
                          <Time at={at} as="clock" />
                        </li>
                      ))}
                    </ol>
                  ),
                ],
                ["A run may cost", one.maxCost && moneyText(toMicros(one.maxCost))],
                [
                  "Budget",
                  one.budget && (
                    <>
                      {moneyText(toMicros(one.budget.left))} left of {moneyText(toMicros(one.budget.amount))} a{" "}
                      {one.budget.period.toLowerCase()}, until <Time at={one.budget.resetsAt} as="clock" />
                    </>
                  ),
                ],
                ["Pauses after", `${counted(one.pauseAfterFailures, "failure")} in a row; ${one.failures} so far`],
                ["Missed times", one.missed === "SKIP" ? "are left out" : "run once"],
                ["While one is open", one.overlap ? "the next runs too" : "the next is left out"],
              ]}
            />
            {isChanging && <ScheduleForm of={one} onClose={() => setChanging(false)} onDone={schedule.reload} />}
          </Section>
        )}
      </Shown>
      <Section title="Its latest times">
        <Shown of={history}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="None has come yet." command={`mkt schedules run-now ${scheduleId}`} right="runSchedule">
                <p>For a run besides its times press Run now, or type:</p>
              </Empty>
            ) : (
              <Table
                caption="Latest times, newest first"
                columns={columns}
                rows={items}
                keyOf={({ decidedAt, dueAt, runId }) => `${dueAt} ${decidedAt} ${runId}`}
              />
            )
          }
        </Shown>
      </Section>
    </>
  );
}

/** 408 and 502 carry the run that did not go well: its story says why. */
function runOf(error: unknown): { readonly runId?: string } {
  const body = error instanceof ServiceError ? (error.body as { readonly runId?: string } | undefined) : undefined;
  if (body?.runId === undefined) throw error;
  return body;
}

const columns: readonly Column<ScheduleOccurrence>[] = [
  {
    name: "Time",
    cell: ({ dueAt, decidedAt, runId }) => {
      const time =
        dueAt === undefined ? (
          <>
            asked for, <Time at={decidedAt} as="clock" />
          </>
        ) : (
          <Time at={dueAt} as="clock" />
        );
      return runId !== undefined && may("getRun") ? <a href={href(["runs", runId])}>{time}</a> : time;
    },
  },
  {
    name: "What became of it",
    cell: ({ outcome, runStatus, missed = 0, message }) => (
      <span class="two-lines">
        <Status status={runStatus ?? outcome} />
        {message !== undefined && (
          <small class="muted">
            <Inert text={message} most={160} />
          </small>
        )}
        {missed > 0 && <small class="muted">{counted(missed, "time")} before it had no run</small>}
      </span>
    ),
  },
];
