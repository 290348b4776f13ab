import { useState } from "preact/hooks";
import { type MicroDollars, sum } from "../../shared/micro-dollars.ts";
import { Money } from "../parts/Money.tsx";
import { Table } from "../parts/Table.tsx";
import { counted, countText, moneyText } from "../words/amounts.ts";
import { dayText } from "../words/times.ts";
import { DayChart } from "./DayChart.tsx";
import type { DayRow } from "./day-rows.ts";
import { asGuess } from "./spend-window.ts";

interface DayBarsProps {
  readonly rows: readonly DayRow[];
  /** Of the whole window; absent where there is no forecast. */
  readonly expected: MicroDollars | undefined;
}

/** A bar a day, the words of one of them, and behind them the same as a table. */
export function DayBars({ rows, expected }: DayBarsProps) {
  const [chosen, choose] = useState<number | undefined>(undefined);
  const hasForecast = rows.some((row) => row.expected !== undefined);
  const lastPast = rows.findLastIndex((row) => row.expected === undefined || row.runs > 0);
  const at = Math.min(chosen ?? Math.max(0, lastPast), rows.length - 1);
  const row = rows[at];
  return (
    <>
      <DayChart rows={rows} label={chartLabel(rows, expected)} chosen={chosen} onChoose={choose} />
      {row !== undefined && (
        <div class="day-words">
          <span
            class="day-slider"
            role="slider"
            tabIndex={0}
            aria-label="Day"
            aria-valuemin={1}
            aria-valuemax={rows.length}
            aria-valuenow={at + 1}
            aria-valuetext={wordsOf(row)}
            onKeyDown={(event) => {
              const to = stepTo(event.key, at, rows.length);
              if (to === undefined) return;
              event.preventDefault();
              choose(to);
            }}
          >
            {wordsOf(row)}
          </span>
          <span class="legend muted">
            <i class="mark charged" aria-hidden="true" /> charged
            {hasForecast && (
              <>
                <i class="mark expected" aria-hidden="true" /> forecast
              </>
            )}
          </span>
        </div>
      )}
      <details class="why">
        <summary>As a table</summary>
        <Table
          caption="Charged a day"
          columns={[
            { name: "Day (UTC)", cell: ({ day }) => dayText(day) },
            { name: "Runs", align: "end", cell: ({ runs }) => countText(runs) },
            { name: "Charged", align: "end", cell: ({ charged }) => <Money micros={charged} /> },
            ...(hasForecast
              ? [
                  {
                    name: "Forecast",
                    align: "end" as const,
                    cell: (one: DayRow) =>
                      one.expected === undefined ? (
                        <span class="muted">–</span>
                      ) : (
                        <Money micros={asGuess(one.expected)} />
                      ),
                  },
                ]
              : []),
          ]}
          rows={rows}
          keyOf={({ day }) => day}
        />
      </details>
    </>
  );
}

function stepTo(key: string, at: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - 7,
    PageUp: at + 7,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to));
}

function wordsOf({ day, runs, charged, expected }: DayRow): string {
  const parts = [`${moneyText(charged)}`, counted(runs, "run")];
  if (expected !== undefined) parts.push(`forecast ${moneyText(asGuess(expected))}`);
  return `${dayText(day)}: ${parts.join(", ")}`;
}

function chartLabel(rows: readonly DayRow[], expected: MicroDollars | undefined): string {
  const all = sum(rows.map(({ charged }) => charged));
  const highest = rows.toSorted((a, b) => b.charged - a.charged)[0];
  return [
    `Charged a day, ${counted(rows.length, "day")}: ${moneyText(all)} in all`,
    highest === undefined || highest.charged === 0
      ? ""
      : `most on ${dayText(highest.day)}: ${moneyText(highest.charged)}`,
    expected === undefined ? "" : `forecast to the end ${moneyText(expected)}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}
