import { useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { microDollars } from "../../shared/micro-dollars.ts";
import { Chart, type ChartInks } from "../parts/Chart.tsx";
import { axisMoneyText } from "../words/amounts.ts";
import { dayText } from "../words/times.ts";
import type { DayRow } from "./day-rows.ts";

interface DayChartProps {
  readonly rows: readonly DayRow[];
  readonly label: string;
  readonly chosen: number | undefined;
  readonly onChoose: (index: number) => void;
}

const HEIGHT = 200;
/** Pixels that the words of a day, and of an amount, need on their axes. */
const DAY_SPACE = 64;
const AMOUNT_SPACE = 34;

/** Days that stand under the axis: all of them, or each second, each week … */
const DAY_STEPS = [1, 2, 7, 14, 28, 56, 91, 182];
/** Amounts of an axis: 1, 2 or 5 and zeros, from a millionth of a dollar on, in micro-dollars. */
const AMOUNT_STEPS = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/** Bars in the colours of the page. Their numbers stand in the table behind them. */
export function DayChart({ rows, label, chosen, onChoose }: DayChartProps) {
  const current = useRef({ rows, onChoose });
  current.current = { rows, onChoose };
  const data = useMemo(() => dataOf(rows), [rows]);
  return (
    <div class="day-chart" role="img" aria-label={label}>
      <Chart data={data} options={(inks) => optionsOf(inks, () => current.current)} chosen={chosen} />
    </div>
  );
}

function dataOf(rows: readonly DayRow[]): uPlot.AlignedData {
  return [
    rows.map((_, index) => index),
    rows.map(({ expected }) => expected ?? null),
    rows.map(({ charged }) => Math.max(0, charged)),
  ];
}

type Current = () => Pick<DayChartProps, "rows" | "onChoose">;

function optionsOf({ colour, fontFamily }: ChartInks, current: Current): Omit<uPlot.Options, "width"> {
  const axis = { stroke: colour("muted"), font: `12px ${fontFamily}`, ticks: { show: false } } as const;
  const bars = uPlot.paths.bars?.({ size: [0.72, 44, 1], radius: 0.12 });
  const series = (fill: string) => ({
    fill: colour(fill),
    stroke: colour(fill),
    width: 0,
    points: { show: false },
    ...(bars !== undefined && { paths: bars }),
  });
  return {
    height: HEIGHT,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
    scales: {
      x: { time: false, range: (_, min, max) => [min - 0.6, max + 0.6] },
      // Without any amount: a cent, so that the axis has one.
      y: { range: (_, _min, max) => [0, max > 0 ? max * 1.08 : 10_000] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        gap: 6,
        space: DAY_SPACE,
        incrs: DAY_STEPS,
        values: (_, splits) => splits.map((index) => dayLabel(current().rows[index])),
      },
      {
        ...axis,
        size: 58,
        space: AMOUNT_SPACE,
        incrs: AMOUNT_STEPS,
        grid: { stroke: colour("line"), width: 1 },
        values: (_, splits) => splits.map((micros) => axisMoneyText(microDollars(Math.round(micros)))),
      },
    ],
    series: [{}, series("forecast"), series("accent")],
    hooks: {
      setCursor: [
        ({ cursor: { idx, event } }) => {
          // By the reader's hand alone: data that change move nothing.
          if (typeof idx === "number" && event != null) current().onChoose(idx);
        },
      ],
    },
  };
}

function dayLabel(row: DayRow | undefined): string {
  return row === undefined ? "" : dayText(row.day);
}
