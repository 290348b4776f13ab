import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { theme } from "../page/theme.ts";

/** What a chart asks its place for. A canvas knows no variables of a style sheet, and no `light-dark()`. */
export interface ChartInks {
  /** The colour of a variable as it is when it is drawn: `colour("accent")`. */
  readonly colour: (name: string) => () => string;
  readonly fontFamily: string;
}

interface ChartProps {
  readonly data: uPlot.AlignedData;
  /** Asked once: what may change later has to be a function in it. */
  readonly options: (inks: ChartInks) => Omit<uPlot.Options, "width">;
  readonly class?: string;
  /** The column that the cursor stands at; absent: where the reader left it. */
  readonly chosen?: number | undefined;
}

/** A canvas that uPlot draws on, as wide as its place and in the colours of the page. For eyes alone. */
export function Chart({ data, options, class: name, chosen }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const width = Math.max(200, element.clientWidth);
    const made = new uPlot({ ...options(inksOf(element)), width }, data, element);
    chart.current = made;
    const sizes = new ResizeObserver(() => {
      const { clientWidth } = element;
      if (clientWidth > 0 && clientWidth !== made.width) made.setSize({ width: clientWidth, height: made.height });
    });
    sizes.observe(element);
    // The system may turn dark while the page is open, and so may the page.
    const redraw = () => made.redraw(false, true);
    const darkness = matchMedia("(prefers-color-scheme: dark)");
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
  useEffect(() => chart.current?.setData(data), [data]);
  useEffect(() => {
    const made = chart.current;
    if (made === undefined || chosen === undefined || made.cursor.idx === chosen) return;
    made.setCursor({ left: made.valToPos(chosen, "x"), top: 0 }, false);
  }, [chosen]);
  return <div ref={place} class={name} />;
}

function inksOf(element: HTMLElement): ChartInks {
  return {
    colour: (name) => () => colourOf(element, name),
    fontFamily: getComputedStyle(element).fontFamily,
  };
}

/** The browser says what the colour is here. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
