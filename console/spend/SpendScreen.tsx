import { useMemo, useState } from "preact/hooks";
import type { UsageItem, UsageResponse } from "../../shared/contract/usage.ts";
import { saveFile } from "../output/save-file.ts";
import { now } from "../page/now.ts";
import { href, replaceQuery } from "../page/route.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Choice, TextField } from "../parts/Field.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Meter } from "../parts/Meter.tsx";
import { Money } from "../parts/Money.tsx";
import { Screen, Section } from "../parts/Screen.tsx";
import { Problem, Shown } from "../parts/Shown.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { SUMS_PACE_MS, useLoaded, useReloadOn } from "../service/use-loaded.ts";
import type { ScreenProps } from "../shell/screen-entry.ts";
import { countText, toMicros } from "../words/amounts.ts";
import { EXAMPLE_RUN } from "../words/example-commands.ts";
import { inertText } from "../words/inert-text.ts";
import { dayRows } from "./day-rows.ts";
import { DayBars } from "./DayBars.tsx";
import { boundsOf, daysOf, forecast, lastDays, lengthOf, type SpendWindow, thisMonth } from "./spend-window.ts";
import { usageCsv } from "./usage-csv.ts";

const GROUPS = [
  ["provider", "Provider"],
  ["endpoint", "Endpoint"],
  ["key", "Key"],
  ["tag", "Tag"],
] as const;
type Group = (typeof GROUPS)[number][0];

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Bars below this many days can be told from each other. */
const MOST_DAYS = 366;
const MOST_ROWS = 100;

/** `#/spend?first=2026-11-01&last=2026-11-30&by=tag&tag=team`: what was charged, by day and by group. */
export function SpendScreen({ route: { query } }: ScreenProps) {
  const window = readWindow(query);
  const by = GROUPS.find(([id]) => id === query.get("by"))?.[0] ?? "provider";
  const tag = query.get("tag") ?? "";
  const isTurned = window.first > window.last;
  return (
    <Screen title="Spend" name="Spend" lead="What was charged to the workspace. Days are UTC.">
      <Choices window={window} by={by} tag={tag} />
      {isTurned ? (
        <Problem text="The window ends before it begins: change one of its days." />
      ) : (
        <Answers window={window} by={by} tag={tag} />
      )}
    </Screen>
  );
}

function readWindow(query: URLSearchParams): SpendWindow {
  const month = thisMonth(now.value);
  const day = (name: "first" | "last") => {
    const text = query.get(name) ?? "";
    return DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : month[name];
  };
  return { first: day("first"), last: day("last") };
}

interface ChoicesProps {
  readonly window: SpendWindow;
  readonly by: Group;
  readonly tag: string;
}

function Choices({ window, by, tag }: ChoicesProps) {
  const windows: readonly (readonly [string, SpendWindow])[] = [
    ["This month", thisMonth(now.value)],
    ["7 days", lastDays(7, now.value)],
    ["30 days", lastDays(30, now.value)],
    ["90 days", lastDays(90, now.value)],
  ];
  const choose = (chosen: Partial<SpendWindow>) => replaceQuery({ ...window, ...chosen });
  return (
    <form class="filters" aria-label="What to sum up" onSubmit={(event) => event.preventDefault()}>
      <div class="segments" role="group" aria-label="Window">
        {windows.map(([name, one]) => (
          <button
            key={name}
            type="button"
            aria-pressed={one.first === window.first && one.last === window.last}
            onClick={() => choose(one)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="fields">
        <TextField label="First day" type="date" value={window.first} onInput={(first) => choose({ first })} />
        <TextField label="Last day" type="date" value={window.last} onInput={(last) => choose({ last })} />
        <Choice label="Grouped by" value={by} options={GROUPS} onChoose={(chosen) => replaceQuery({ by: chosen })} />
        {by === "tag" && <TagName tag={tag} />}
      </div>
    </form>
  );
}

/** Asked for when it is whole: a name that is being typed is the name of another tag. */
function TagName({ tag }: { readonly tag: string }) {
  const [name, setName] = useState(tag);
  return (
    <div class="tag-name">
      <TextField label="Name of the tag" value={name} onInput={setName} placeholder="team" />
      <Button onPress={() => replaceQuery({ tag: name.trim() })}>Show</Button>
    </div>
  );
}

function Answers({ window, by, tag }: ChoicesProps) {
  const days = useLoaded(
    `${window.first} ${window.last}`,
    async (client, signal) => ({
      window,
      usage: await client.getUsage({ query: { groupBy: "day", ...boundsOf(window) } }, { signal }),
    }),
    { keepsFormer: true },
  );
  useReloadOn(["run", "resource", "reset"], days.reload, SUMS_PACE_MS);
  return (
    <Shown of={days}>
      {(read) =>
        read.usage.items.length === 0 ? (
          <Empty title="Nothing was run in this window." command={EXAMPLE_RUN}>
            <p>Choose another window, or type:</p>
          </Empty>
        ) : (
          <>
            <Total {...read} />
            <Days {...read} />
            {by === "tag" && tag === "" ? (
              <Empty title="Which tag?" command={`${EXAMPLE_RUN} --tag team=growth`}>
                <p>Give its name above. Runs get tags so:</p>
              </Empty>
            ) : (
              <Groups by={by === "tag" ? `tag:${tag}` : by} window={window} />
            )}
          </>
        )
      }
    </Shown>
  );
}

/** Sums with the window that they are of: while another one is read, they stay under their own name. */
interface UsageOfWindow {
  readonly usage: UsageResponse;
  readonly window: SpendWindow;
}

function Days({ usage, window }: UsageOfWindow) {
  const time = now.value;
  const expected = forecast(toMicros(usage.total.charged), window, time);
  const rows = useMemo(
    () => dayRows(shownDays(window, usage), usage.items, expected, time),
    [window.first, window.last, usage, expected, time],
  );
  return (
    <Section title="By day" aside={<CsvButton by="day" window={window} items={usage.items} />}>
      <DayBars key={`${window.first} ${window.last}`} rows={rows} expected={expected} />
    </Section>
  );
}

/** Days without runs and days to come too; of a very long window those with runs alone. */
function shownDays(window: SpendWindow, { items }: UsageResponse): readonly string[] {
  if (lengthOf(window) <= MOST_DAYS) return daysOf(window);
  return items.flatMap(({ group }) => group ?? []).slice(-MOST_DAYS);
}

interface CsvButtonProps {
  readonly by: string;
  readonly window: SpendWindow;
  readonly items: readonly UsageItem[];
}

function CsvButton({ by, window, items }: CsvButtonProps) {
  const words = by.startsWith("tag:") ? "tag" : by;
  return (
    <Button
      icon="download"
      kind="quiet"
      label={`CSV by ${words}`}
      onPress={() => saveFile(`spend-by-${words}-${window.first}-${window.last}.csv`, "text/csv", usageCsv(by, items))}
    >
      CSV
    </Button>
  );
}

function Total({ usage: { total }, window }: UsageOfWindow) {
  const expected = forecast(toMicros(total.charged), window, now.value);
  return (
    <div class="figures">
      <div>
        <span class="figure-name">Charged</span>
        <Money amount={total.charged} />
      </div>
      {expected !== undefined && (
        <div>
          <span class="figure-name">Forecast to the end of the window</span>
          <Money micros={expected} />
          <small class="muted">at the pace so far</small>
        </div>
      )}
      <div>
        <span class="figure-name">Runs</span>
        {countText(total.runs)}
        {total.failed > 0 && <small class="muted">{countText(total.failed)} failed</small>}
      </div>
      <div>
        <span class="figure-name">Saved by reuse</span>
        <Money amount={total.saved} />
      </div>
    </div>
  );
}

function Groups({ by, window }: { readonly by: string; readonly window: SpendWindow }) {
  const groups = useLoaded(
    `${by} ${window.first} ${window.last}`,
    async (client, signal) => ({
      by,
      window,
      usage: await client.getUsage({ query: { groupBy: by, ...boundsOf(window) } }, { signal }),
    }),
    { keepsFormer: true },
  );
  useReloadOn(["run", "resource", "reset"], groups.reload, SUMS_PACE_MS);
  const { value: read } = groups;
  const shownBy = read?.by ?? by;
  return (
    <Section
      title={`By ${shownBy.startsWith("tag:") ? "tag" : shownBy}`}
      aside={read !== undefined && <CsvButton by={read.by} window={read.window} items={read.usage.items} />}
    >
      <Shown of={groups}>
        {({ by: group, usage: { items, total } }) => (
          <>
            <Table
              caption={`Charged by ${group}, most first`}
              columns={groupColumns(group, total.charged.value)}
              rows={items.slice(0, MOST_ROWS)}
              keyOf={(item) => `${item.group}`}
            />
            {items.length > MOST_ROWS && (
              <p class="below">
                The first {countText(MOST_ROWS)} of {countText(items.length)}; the CSV has them all.
              </p>
            )}
          </>
        )}
      </Shown>
    </Section>
  );
}

function groupColumns(by: string, all: number): readonly Column<UsageItem>[] {
  return [
    { name: groupName(by), cell: ({ group }) => <GroupName by={by} group={group} /> },
    {
      name: "Share",
      from: "medium",
      cell: ({ group, charged }) =>
        all > 0 ? <Meter plain label={`Share of ${group ?? "the rest"}`} share={charged.value / all} /> : null,
    },
    { name: "Runs", align: "end", cell: ({ runs }) => countText(runs) },
    { name: "Failed or timed out", align: "end", from: "medium", cell: ({ failed }) => countText(failed) },
    { name: "Charged", align: "end", cell: ({ charged }) => <Money amount={charged} /> },
  ];
}

function groupName(by: string): string {
  return GROUPS.find(([id]) => id === by)?.[1] ?? (by.startsWith("tag:") ? inertText(by.slice("tag:".length)) : by);
}

function GroupName({ by, group }: { readonly by: string; readonly group: string | null }) {
  if (group === null) return <span class="muted">{by === "key" ? "without a key" : "without this tag"}</span>;
  return by === "provider" ? (
    <a href={href(["runs"], { provider: group })}>
      <Inert text={group} most={90} />
    </a>
  ) : (
    <Inert text={group} most={90} />
  );
}
