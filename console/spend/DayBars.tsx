import type { UsageItem } from "../../shared/contract/usage.ts";
import { Money } from "../parts/Money.tsx";
import { Table } from "../parts/Table.tsx";
import { countText, moneyText, sumOf, toMicros } from "../words/amounts.ts";
import { dayText } from "../words/times.ts";

interface DayBarsProps {
  readonly days: readonly string[];
  readonly items: readonly UsageItem[];
}

/** A bar a day, and behind them the same as a table. */
export function DayBars({ days, items }: DayBarsProps) {
  const byDay = new Map(items.map((item) => [item.group, item]));
  const rows = days.map((day) => {
    const item = byDay.get(day);
    return { day, runs: item?.runs ?? 0, charged: toMicros(item?.charged ?? 0) };
  });
  const most = Math.max(1, ...rows.map(({ charged }) => charged));
  const highest = rows.find(({ charged }) => charged === most);
  const label =
    `Charged a day, ${countText(days.length)} days: ${moneyText(sumOf(items.map((item) => item.charged)))} in all` +
    (highest === undefined ? "" : `, most on ${dayText(highest.day)}: ${moneyText(highest.charged)}`);
  return (
    <>
      <div class="bars" role="img" aria-label={label}>
        {rows.map(({ day, charged }) => (
          <i
            key={day}
            title={`${dayText(day)}: ${moneyText(charged)}`}
            style={{ height: `${Math.max(0, charged / most) * 100}%` }}
          />
        ))}
      </div>
      <p class="bars-ends muted" aria-hidden="true">
        <span>{dayText(days[0] ?? "")}</span>
        <span>{dayText(days.at(-1) ?? "")}</span>
      </p>
      <details class="why">
        <summary>As a table</summary>
        <Table
          caption="Charged a day"
          columns={[
            { name: "Day (UTC)", cell: ({ day }) => dayText(day) },
            { name: "Runs", align: "end", cell: ({ runs }) => countText(runs) },
            { name: "Charged", align: "end", cell: ({ charged }) => <Money micros={charged} /> },
          ]}
          rows={rows}
          keyOf={({ day }) => day}
        />
      </details>
    </>
  );
}
