import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { microDollars } from "../../shared/micro-dollars.ts";
import { theme } from "../page/theme.ts";
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

/** Bars on a canvas, drawn by uPlot in the colours of the page. Its numbers stand in the table behind it. */
export function DayChart({ rows, label, chosen, onChoose }: DayChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const current = useRef({ rows, onChoose });
  current.current = { rows, onChoose };

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new uPlot(
      optionsFor(element, () => current.current),
      dataOf(current.current.rows),
      element,
    );
    chart.current = made;
    const sizes = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0);
      if (width > 0 && width !== made.width) made.setSize({ width, height: HEIGHT });
    });
    sizes.observe(element);
    const darkness = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => made.redraw(false, true);
    darkness.addEventListener("change", redraw);
    const unfollow = theme.subscribe(() => requestAnimationFrame(redraw));
    return () => {
      unfollow();
      darkness.removeEventListener("change", redraw);
      sizes.disconnect();
      made.destroy();
      chart.current = undefined;
    };
  }, []);
  useEffect(() => chart.current?.setData(dataOf(rows)), [rows]);
  useEffect(() => {
    const made = chart.current;
    if (made === undefined || chosen === undefined || made.cursor.idx === chosen) return;
    made.setCursor({ left: made.valToPos(chosen, "x"), top: 0 }, false);
  }, [chosen]);

  return (
    <div class="day-chart" role="img" aria-label={label}>
      <i class="ink bar-ink" />
      <i class="ink forecast-ink" />
      <i class="ink grid-ink" />
      <i class="ink words-ink" />
      <div ref={place} />
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

function optionsFor(element: HTMLElement, current: Current): uPlot.Options {
  // A canvas knows no variables of a style sheet: it asks elements that have them.
  const colour = (name: string) => () => {
    const ink = element.parentElement?.querySelector(`.${name}`) ?? element;
    return getComputedStyle(ink).color;
  };
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: colour("words-ink"), font, ticks: { show: false } } as const;
  const bars = uPlot.paths.bars?.({ size: [0.72, 44, 1], radius: 0.12 });
  const series = (fill: string) => ({
    fill: colour(fill),
    stroke: colour(fill),
    width: 0,
    points: { show: false },
    ...(bars !== undefined && { paths: bars }),
  });
  return {
    width: Math.max(200, element.clientWidth),
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
        grid: { stroke: colour("grid-ink"), width: 1 },
        values: (_, splits) => splits.map((micros) => axisMoneyText(microDollars(Math.round(micros)))),
      },
    ],
    series: [{}, series("forecast-ink"), series("bar-ink")],
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
