import { useEffect } from "preact/hooks";
import type { ControlRun } from "../../shared/contract/controls.ts";
import type { Run } from "../../shared/contract/runs.ts";
import { isTerminal } from "../../shared/run-status.ts";
import { OutputView } from "../output/OutputView.tsx";
import { RunProgress } from "../output/RunProgress.tsx";
import { Tree } from "../output/Tree.tsx";
import { WaitsForApproval } from "../output/WaitsForApproval.tsx";
import { Facts } from "../parts/Facts.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Money } from "../parts/Money.tsx";
import { SameCall } from "../parts/SameCall.tsx";
import { Screen, Section } from "../parts/Screen.tsx";
import { Problem, Shown } from "../parts/Shown.tsx";
import { Time } from "../parts/Time.tsx";
import { href } from "../page/route.ts";
import { useFollowedRun } from "../service/follow-run.ts";
import { may } from "../service/rights.ts";
import { useLoaded } from "../service/use-loaded.ts";
import { countText } from "../words/amounts.ts";
import { durationText } from "../words/durations.ts";
import { inertText } from "../words/inert-text.ts";
import { runPriceText } from "../words/prices.ts";
import { RunStatus } from "./RunStatus.tsx";
import { StopButton } from "./RunList.tsx";
import { storyOf } from "./story.ts";
import { tookText } from "./took-text.ts";

/** The screen is read first, with as few requests as any; how far the run is comes after that. */
const FIRST_AFTER_MS = 2_000;

/** One run: how it stands, what it gave, and its whole story with what it cost. */
export function RunStory({ runId }: { readonly runId: string }) {
  const run = useLoaded(runId, async (client, signal) => client.getRun({ params: { runId } }, { signal }));
  const controls = useLoaded(runId, async (client, signal) =>
    client.listRunControls({ params: { runId } }, { signal }).then(({ items }) => items),
  );
  const isRead = run.value !== undefined;
  const isOpen = run.value !== undefined && !isTerminal(run.value);
  useFollowedRun(runId, isOpen, (read) => run.put(() => read), {
    isScreenRead: !controls.isLoading,
    firstAfterMs: FIRST_AFTER_MS,
  });
  // What the gates said is settled by the end: the charge may have brought a budget to its limit.
  useEffect(() => {
    if (isRead && !isOpen) controls.reload();
  }, [isOpen]);
  return (
    <Screen
      name={`Run ${runId}`}
      title={run.value === undefined ? "Run" : <Inert text={`${run.value.provider}${run.value.endpoint}`} most={120} />}
      lead={<code>{runId}</code>}
      actions={run.value && <Actions run={run.value} />}
    >
      <Shown of={run}>{(value) => <Story run={value} controls={controls.value ?? []} />}</Shown>
    </Screen>
  );
}

function Actions({ run }: { readonly run: Run }) {
  return (
    <>
      {!isTerminal(run) && run.stoppable !== false && may("stopRun") && <StopButton runId={run.runId} />}
      {may("startRun") && (
        <a class="button" href={href(["discover", run.provider, run.endpoint.replace(/^\//, "")], { from: run.runId })}>
          Run again
        </a>
      )}
    </>
  );
}

function Story({ run, controls }: { readonly run: Run; readonly controls: readonly ControlRun[] }) {
  const { error, reason } = run;
  const why = reason ?? (typeof error === "string" ? error : error?.message) ?? run.providerResponse?.error?.message;
  return (
    <>
      <div class="figures">
        <div>
          <span class="figure-name">Status</span>
          <RunStatus run={run} />
        </div>
        <div>
          <span class="figure-name">Charged</span>
          <Money amount={run.cost} />
        </div>
        <div>
          <span class="figure-name">Took</span>
          {tookText(run) ?? <span class="muted">going on</span>}
        </div>
        <div>
          <span class="figure-name">Results</span>
          {run.resultCount === null ? <span class="muted">–</span> : countText(run.resultCount)}
        </div>
      </div>
      {why !== undefined && <Problem text={why} />}
      {run.approval?.status === "WAITING" && <WaitsForApproval approval={run.approval} />}
      {!isTerminal(run) && run.approval?.status !== "WAITING" && <RunProgress run={run} />}
      <div class="columns">
        <div>
          {run.output !== null && run.output !== undefined && (
            <Section title="Output">
              <OutputView output={run.output} fileName={`run-${run.runId}`} />
            </Section>
          )}
          <Section title="Input">
            <ul class="tree root">
              <Tree name="input" value={run.input} />
            </ul>
          </Section>
          <Section title="The same call">
            <SameCall provider={run.provider} endpoint={run.endpoint} input={run.input} maxCost={run.maxCost?.value} />
          </Section>
        </div>
        <div>
          <Section title="Story">
            <ol class="story">
              {storyOf(run, controls).map((step, index) => (
                <li key={index} class={step.tone}>
                  <strong>{inertText(step.title)}</strong>
                  {step.at !== undefined && (
                    <span class="muted">
                      {" "}
                      <Time at={step.at} as="clock" />
                    </span>
                  )}
                  {step.text !== undefined && <p>{inertText(step.text.slice(0, 600))}</p>}
                </li>
              ))}
            </ol>
          </Section>
          <Section title="Receipt">
            <Receipt run={run} />
          </Section>
        </div>
      </div>
    </>
  );
}

function Receipt({ run }: { readonly run: Run }) {
  return (
    <Facts
      facts={[
        ["Price", runPriceText(run.price, run)],
        ["Calculated", run.billing && <Units units={run.billing.calculatedCost} />],
        ["Cost of the service", run.billing && <Units units={run.billing.actualCost} />],
        ["Charged", <Money amount={run.cost} />],
        ["Limit of the caller", run.maxCost && <Money amount={run.maxCost} />],
        ["Borne by the operator", run.overrun && <Money amount={run.overrun} />],
        ["Saved", run.answeredFrom && <Money amount={run.answeredFrom.saved} />],
        ["Billed units", run.billedUnits === undefined ? undefined : countText(run.billedUnits)],
        ["Caller", inertText(run.caller)],
        ["Asked for", <Time at={run.createdAt} as="clock" />],
        ["Provider's file", run.manifestHash && <code>{run.manifestHash.slice(0, 12)}</code>],
        ["Provider took", run.attempts && durationText(run.attempts.reduce((ms, one) => ms + one.durationMs, 0))],
        ...Object.entries(run.tags ?? {}).map(
          ([name, value]) => [`Tag ${inertText(name)}`, <Inert text={value} />] as const,
        ),
      ]}
    />
  );
}

const MICROS = { MICRO_DOLLAR: 1, CENT: 10_000, DOLLAR: 1_000_000 } as const;

function Units({ units: { value, unit } }: { readonly units: { value: number; unit: keyof typeof MICROS } }) {
  return <Money amount={{ value: (value * MICROS[unit]) / 1_000_000, currency: "USD" }} />;
}
