import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { CatalogHistory } from "../../shared/contract/catalog-views.ts";
import { Chart, type ChartInks } from "../parts/Chart.tsx";
import { durationText } from "../words/durations.ts";

type Spans = CatalogHistory["spans"];

const HEIGHT = 180;
const NARROW = 480;

/** Average and slowest run time. A picture for eyes alone: its label and its table stand beside it. */
export function LatencyChart({ spans }: { readonly spans: Spans }) {
  const data = useMemo(() => dataOf(spans), [spans]);
  return (
    <div aria-hidden="true">
      <Chart class="chart-place" data={data} options={optionsOf} />
    </div>
  );
}

function dataOf(spans: Spans): uPlot.AlignedData {
  return [
    spans.map(({ at }) => Date.parse(at) / 1_000),
    spans.map(({ averageMs }) => averageMs ?? null),
    spans.map(({ slowestMs }) => slowestMs ?? null),
  ];
}

function optionsOf({ colour, fontFamily }: ChartInks): Omit<uPlot.Options, "width"> {
  const line = colour("line");
  const axis = {
    stroke: colour("muted"),
    font: `11px ${fontFamily}`,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
  const series = (label: string, ink: string, size: number) => ({
    label,
    stroke: colour(ink),
    spanGaps: true,
    points: { show: true, size, fill: colour(ink) },
  });
  return {
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 30,
        space: ({ width }) => (width < NARROW ? 70 : 90),
        incrs: [86_400, 2 * 86_400, 4 * 86_400],
        values: (_, seconds) => seconds.map((at) => day.format(new Date(at * 1_000))),
      },
      { ...axis, size: 62, values: (_, all) => all.map((ms) => durationText(ms)) },
    ],
    series: [
      {},
      { ...series("average", "accent", 6), width: 2 },
      { ...series("slowest", "warn", 4), width: 1.5, dash: [4, 4] },
    ],
  };
}
