import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { CatalogHistory } from "../../shared/contract/catalog-views.ts";
import { durationText } from "../words/durations.ts";
import { theme } from "../page/theme.ts";

type Spans = CatalogHistory["spans"];

const HEIGHT = 180;
const NARROW = 480;

/** Average and slowest run time. A picture for eyes alone: its label and its table stand beside it. */
export function LatencyChart({ spans }: { readonly spans: Spans }) {
  const place = useRef<HTMLDivElement>(null);
  const shown = theme.value;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = () => new uPlot(optionsFor(element), dataOf(spans), element);
    let chart = draw();
    const again = () => {
      chart.destroy();
      chart = draw();
    };
    const size = new ResizeObserver(() => {
      if (element.clientWidth !== chart.width) again();
    });
    size.observe(element);
    // The system may turn dark while the page is open; colours on a canvas do not follow by themselves.
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    return () => {
      size.disconnect();
      dark.removeEventListener("change", again);
      chart.destroy();
    };
  }, [spans, shown]);
  return <div ref={place} class="chart-place" aria-hidden="true" />;
}

function dataOf(spans: Spans): uPlot.AlignedData {
  return [
    spans.map(({ at }) => Date.parse(at) / 1_000),
    spans.map(({ averageMs }) => averageMs ?? null),
    spans.map(({ slowestMs }) => slowestMs ?? null),
  ];
}

function optionsFor(element: HTMLElement): uPlot.Options {
  const colour = (name: string) => colourOf(element, name);
  const [accent, warn, muted, line] = [colour("accent"), colour("warn"), colour("muted"), colour("line")];
  const axis = {
    stroke: muted,
    font: `11px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  const width = element.clientWidth;
  const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 30,
        space: width < NARROW ? 70 : 90,
        incrs: [86_400, 2 * 86_400, 4 * 86_400],
        values: (_, seconds) => seconds.map((at) => day.format(new Date(at * 1_000))),
      },
      { ...axis, size: 62, values: (_, all) => all.map((ms) => durationText(ms)) },
    ],
    series: [
      {},
      { label: "average", stroke: accent, width: 2, spanGaps: true, points: { show: true, size: 6, fill: accent } },
      {
        label: "slowest",
        stroke: warn,
        width: 1.5,
        dash: [4, 4],
        spanGaps: true,
        points: { show: true, size: 4, fill: warn },
      },
    ],
  };
}

/** A canvas knows no variables, and no light-dark(): the browser says what the colour is here. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
