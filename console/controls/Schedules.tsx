import { useState } from "preact/hooks";
import type { Schedule } from "../../shared/contract/schedules.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { href } from "../page/route.ts";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { inertText } from "../words/inert-text.ts";
import { DeleteButton, PauseButton } from "./ControlButtons.tsx";
import type { ListProps } from "./list-props.ts";
import { OneSchedule } from "./OneSchedule.tsx";
import { ScheduleForm } from "./ScheduleForm.tsx";

/** What runs by itself, and when; one of them with what became of its times. */
export function Schedules({ cursor, one }: ListProps) {
  return one === undefined ? <AllSchedules cursor={cursor} /> : <OneSchedule scheduleId={one} />;
}

function AllSchedules({ cursor }: ListProps) {
  const schedules = useLoaded(`${cursor}`, async (client, signal) =>
    client.listSchedules({ query: { limit: 50, cursor } }, { signal }),
  );
  useReloadOn(["schedule", "reset"], schedules.reload);
  const [form, setForm] = useState<{ readonly of?: Schedule } | undefined>(undefined);
  return (
    <>
      {may("createSchedule") && (
        <div class="actions above">
          <Button kind="primary" icon="plus" onPress={() => setForm({})}>
            Make a schedule
          </Button>
        </div>
      )}
      <PagedTable
        of={schedules}
        caption="Schedules, newest first"
        columns={columns(schedules.reload, (of) => setForm({ of }))}
        keyOf={({ scheduleId }) => scheduleId}
        at={["controls", "schedules"]}
        cursor={cursor}
        empty={
          <Empty
            title="Nothing runs by itself."
            command={'mkt schedules create --cron "0 7 * * 1-5" --name morning atlas/time/now'}
            right="createSchedule"
          >
            <p>Have an endpoint run at certain times:</p>
          </Empty>
        }
      />
      {form !== undefined && <ScheduleForm of={form.of} onClose={() => setForm(undefined)} onDone={schedules.reload} />}
    </>
  );
}

function columns(reload: () => void, onChange: (schedule: Schedule) => void): readonly Column<Schedule>[] {
  const nameOf = (schedule: Schedule) => inertText(schedule.name ?? `${schedule.provider}${schedule.endpoint}`);
  return [
    {
      name: "Schedule",
      cell: (schedule) => (
        <a class="row-link" href={href(["controls", "schedules", schedule.scheduleId])}>
          <span class="two-lines">
            <Inert text={nameOf(schedule)} most={90} />
            <small class="muted">
              {inertText(schedule.cron)} · {inertText(schedule.timeZone)}
            </small>
          </span>
        </a>
      ),
    },
    {
      name: "Status",
      cell: ({ status, pause }) => (
        <span class="two-lines">
          <Status status={status} />
          {pause !== undefined && (
            <small class="muted">
              <Inert text={pause.message} most={120} />
            </small>
          )}
        </span>
      ),
    },
    { name: "Next", align: "end", from: "medium", cell: ({ next }) => <Time at={next[0]} as="clock" /> },
    {
      name: "Change",
      hideName: true,
      align: "end",
      cell: (schedule) => {
        const request = { params: { scheduleId: schedule.scheduleId } };
        return (
          <span class="actions">
            {may("updateSchedule") && (
              <Button label={`Change the schedule ${nameOf(schedule)}`} onPress={() => onChange(schedule)}>
                Change
              </Button>
            )}
            <PauseButton
              isActive={schedule.status === "ACTIVE"}
              subject={`the schedule ${nameOf(schedule)}`}
              onPause={
                may("pauseSchedule")
                  ? async () => {
                      await api().pauseSchedule(request);
                      reload();
                    }
                  : undefined
              }
              onResume={
                may("resumeSchedule")
                  ? async () => {
                      await api().resumeSchedule(request);
                      say("Resumed: its runs are made with your key from now on.");
                      reload();
                    }
                  : undefined
              }
            />
            {may("deleteSchedule") && (
              <DeleteButton
                subject={`the schedule ${nameOf(schedule)}`}
                text="Runs that it made stay."
                onDelete={async () => {
                  await api().deleteSchedule(request);
                  reload();
                }}
              />
            )}
          </span>
        );
      },
    },
  ];
}
