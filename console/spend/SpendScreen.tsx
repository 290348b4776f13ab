import { useState } from "preact/hooks";
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
import { useLoaded } from "../service/use-loaded.ts";
import type { ScreenProps } from "../shell/screen-entry.ts";
import { countText, toMicros } from "../words/amounts.ts";
import { DayBars } from "./DayBars.tsx";
import { boundsOf, daysOf, forecast, lastDays, type SpendWindow, thisMonth } from "./spend-window.ts";
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
        <Answers key={`${window.first} ${window.last}`} window={window} by={by} tag={tag} />
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
  const bounds = boundsOf(window);
  const days = useLoaded("day", async (client, signal) =>
    client.getUsage({ query: { groupBy: "day", ...bounds } }, { signal }),
  );
  return (
    <Shown of={days}>
      {(usage) =>
        usage.items.length === 0 ? (
          <Empty title="Nothing was run in this window." command="mkt run atlas/sun lat=52.5 lon=13.4">
            <p>Choose another window, or type:</p>
          </Empty>
        ) : (
          <>
            <Total usage={usage} window={window} />
            <Section title="By day">
              <DayBars days={shownDays(window, usage)} items={usage.items} />
            </Section>
            {by === "tag" && tag === "" ? (
              <Empty title="Which tag?" command="mkt run atlas/sun lat=52.5 lon=13.4 --tag team=growth">
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

/** Days without runs too; of a very long window those with runs alone. */
function shownDays(window: SpendWindow, { items }: UsageResponse): readonly string[] {
  const days = daysOf(window, now.value);
  return days.length > 0 && days.length <= MOST_DAYS
    ? days
    : items.flatMap(({ group }) => group ?? []).slice(-MOST_DAYS);
}

function Total({ usage: { total }, window }: { readonly usage: UsageResponse; readonly window: SpendWindow }) {
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
  const usage = useLoaded(by, async (client, signal) =>
    client.getUsage({ query: { groupBy: by, ...boundsOf(window) } }, { signal }),
  );
  const download = (items: readonly UsageItem[]) =>
    saveFile(`spend-${window.first}-${window.last}.csv`, "text/csv", usageCsv(by, items));
  return (
    <Section
      title={`By ${by.startsWith("tag:") ? "tag" : by}`}
      aside={
        usage.value !== undefined && (
          <Button icon="download" onPress={() => download(usage.value?.items ?? [])}>
            CSV
          </Button>
        )
      }
    >
      <Shown of={usage}>
        {({ items, total }) => (
          <>
            <Table
              caption={`Charged by ${by}, most first`}
              columns={groupColumns(by, total.charged.value)}
              rows={items.slice(0, MOST_ROWS)}
              keyOf={({ group }) => `${group}`}
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
    { name: "Group", cell: ({ group }) => <GroupName by={by} group={group} /> },
    {
      name: "Share",
      from: "medium",
      cell: ({ group, charged }) =>
        all > 0 ? <Meter plain label={`Share of ${group ?? "the rest"}`} share={charged.value / all} /> : null,
    },
    { name: "Runs", align: "end", cell: ({ runs }) => countText(runs) },
    { name: "Failed", align: "end", from: "medium", cell: ({ failed }) => countText(failed) },
    { name: "Charged", align: "end", cell: ({ charged }) => <Money amount={charged} /> },
  ];
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
