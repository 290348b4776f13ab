import type { CatalogHistory } from "../../shared/contract/catalog-views.ts";
import { durationText } from "../words/durations.ts";
import { replaceQuery } from "../page/route.ts";
import { now } from "../page/now.ts";
import { Empty } from "../parts/Empty.tsx";
import { Choice } from "../parts/Field.tsx";
import { Section } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Table } from "../parts/Table.tsx";
import { may } from "../service/rights.ts";
import { SUMS_PACE_MS, useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { lazyScreen } from "../shell/lazy-screen.tsx";
import { countText, counted, shareText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { shortTime } from "../words/times.ts";

const LatencyChart = lazyScreen(async () => (await import("./LatencyChart.tsx")).LatencyChart);

type Span = CatalogHistory["spans"][number];

interface HistoryProps {
  readonly slug: string;
  /** Empty: all of them together. */
  readonly endpoint: string;
  readonly endpoints: readonly string[];
}

/** Seven days of a provider or of one endpoint: runs with errors, run times, and the same as a table. */
export function History({ slug, endpoint, endpoints }: HistoryProps) {
  const history = useLoaded(`${slug} ${endpoint}`, async (client, signal) =>
    client.getCatalogHistory({ params: { provider: slug }, query: endpoint === "" ? {} : { endpoint } }, { signal }),
  );
  useReloadOn(["run", "reset"], history.reload, SUMS_PACE_MS);
  if (history.value?.runsOf === "nobody") return null;
  const options = [
    ["", "All endpoints"] as const,
    ...endpoints.map((one) => [one, inertText(one.length > 60 ? `${one.slice(0, 60)}…` : one)] as const),
  ];
  return (
    <Section title="The last seven days">
      {endpoints.length > 1 && (
        <div class="fields">
          <Choice
            label="Of"
            value={endpoints.includes(endpoint) ? endpoint : ""}
            options={options}
            onChoose={(chosen) => replaceQuery({ endpoint: chosen })}
          />
        </div>
      )}
      <Shown of={history}>{(value) => <Week slug={slug} history={value} />}</Shown>
    </Section>
  );
}

function Week({ slug, history: { spans, runsOf } }: { readonly slug: string; readonly history: CatalogHistory }) {
  const runs = spans.reduce((sum, span) => sum + span.runs, 0);
  const errors = spans.reduce((sum, span) => sum + span.errors, 0);
  if (runs === 0) {
    return (
      <Empty
        title="Nothing was run here for seven days."
        {...(may("startRun") && { command: `mkt inspect ${inertText(slug)}` })}
      >
        <p>Press Run beside an endpoint, or look at one first:</p>
      </Empty>
    );
  }
  const timed = spans.filter(({ averageMs }) => averageMs !== undefined);
  return (
    <>
      <p class="chart-head">
        <strong>{counted(runs, "run")}</strong>, {counted(errors, "error")} ({shareText(errors / runs)})
        <span class="muted"> · {runsOf === "everybody" ? "of all workspaces" : "of your workspace"}</span>
      </p>
      <HealthBars spans={spans} runs={runs} errors={errors} />
      {timed.length > 0 && (
        <>
          <p class="chart-head">
            <strong>Run times</strong>
            <span class="muted"> · average, and dashed the slowest, every three hours</span>
          </p>
          <div class="chart" role="img" aria-label={latencyLabel(timed)}>
            <LatencyChart spans={spans} />
          </div>
        </>
      )}
      <details class="why">
        <summary>As a table</summary>
        <Table
          caption="Three hours at a time, the newest first"
          columns={[
            { name: "From", cell: ({ at }) => shortTime(at, now.value) },
            { name: "Runs", align: "end", cell: (span) => countText(span.runs) },
            { name: "Errors", align: "end", cell: (span) => countText(span.errors) },
            { name: "Average", align: "end", cell: ({ averageMs }) => duration(averageMs) },
            { name: "Slowest", align: "end", cell: ({ slowestMs }) => duration(slowestMs) },
          ]}
          rows={spans.filter((span) => span.runs > 0).toReversed()}
          keyOf={({ at }) => at}
        />
      </details>
    </>
  );
}

function duration(ms: number | undefined) {
  return ms === undefined ? <span class="muted">–</span> : durationText(ms);
}

interface BarsProps {
  readonly spans: readonly Span[];
  readonly runs: number;
  readonly errors: number;
}

/** A bar for three hours: as high as its runs, the errors among them at its foot. */
function HealthBars({ spans, runs, errors }: BarsProps) {
  const most = Math.max(1, ...spans.map((span) => span.runs));
  const worst = spans.filter((span) => span.errors > 0).toSorted((a, b) => b.errors - a.errors)[0];
  const label =
    `Runs of seven days, every three hours: ${counted(runs, "run")}, ${counted(errors, "error")}` +
    (worst === undefined ? "" : `, most errors from ${shortTime(worst.at, now.value)}: ${countText(worst.errors)}`);
  const height = (share: number) => ({ height: `${share * 100}%` });
  return (
    <>
      <div class="bars" role="img" aria-label={label}>
        {spans.map((span) => (
          <i
            key={span.at}
            class={span.errors > 0 ? "with-errors" : undefined}
            title={`${shortTime(span.at, now.value)}: ${counted(span.runs, "run")}, ${counted(span.errors, "error")}`}
            style={height(span.runs / most)}
          >
            {span.errors > 0 && <b style={height(span.errors / span.runs)} />}
          </i>
        ))}
      </div>
      <Ends spans={spans} />
    </>
  );
}

function Ends({ spans }: { readonly spans: readonly Span[] }) {
  const [first] = spans;
  return (
    <p class="bars-ends muted" aria-hidden="true">
      <span>{first && shortTime(first.at, now.value)}</span>
      <span>now</span>
    </p>
  );
}

function latencyLabel(timed: readonly Span[]): string {
  const last = timed.at(-1);
  const slowest = timed.reduce<Span | undefined>(
    (most, span) => ((span.slowestMs ?? 0) > (most?.slowestMs ?? -1) ? span : most),
    undefined,
  );
  const words = [
    `Run times of seven days`,
    last?.averageMs === undefined ? "" : `last on average ${durationText(last.averageMs)}`,
    slowest?.slowestMs === undefined
      ? ""
      : `the slowest ${durationText(slowest.slowestMs)}, after ${shortTime(slowest.at, now.value)}`,
  ];
  return `${words.filter((part) => part !== "").join(", ")}. The table below has the numbers.`;
}
