import type { Attention, Overview } from "../../shared/contract/overview.ts";
import type { WorkspaceBudget } from "../../shared/contract/controls.ts";
import { LIVE_EVENTS } from "../../shared/contract/live-event-types.ts";
import type { RunListItem } from "../../shared/contract/runs.ts";
import { Copied } from "../parts/Copied.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Meter } from "../parts/Meter.tsx";
import { Money } from "../parts/Money.tsx";
import { Screen, Section } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import { type Column, Table } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { openScreens } from "../page/open-screens.ts";
import { href } from "../page/route.ts";
import { EndpointName } from "../runs/EndpointName.tsx";
import { RunStatus } from "../runs/RunStatus.tsx";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { countText, toMicros } from "../words/amounts.ts";
import { EXAMPLE_RUN } from "../words/example-commands.ts";
import { inertText } from "../words/inert-text.ts";
import { statusText } from "../words/statuses.ts";
import { attentionLink, attentionWords } from "./attention-words.ts";

/** `#/home`: how the workspace stands, and what a person should look at. */
export function HomeScreen() {
  const overview = useLoaded("overview", async (client, signal) => client.getOverview({}, { signal }));
  useReloadOn([...LIVE_EVENTS, "reset"], overview.reload);
  const name = overview.value?.workspace.name;
  return (
    <Screen
      title="Home"
      name="Home"
      lead={name === undefined ? undefined : `How the workspace ${inertText(name)} stands.`}
    >
      <Shown of={overview}>
        {({ attention, budgets, inFlight, ...rest }) => (
          <>
            <Figures {...rest} inFlight={inFlight} />
            <Section title="Needs attention">
              {attention.length === 0 ? (
                <p class="all-well">
                  <Status status="All that your key may see works" tone="good" />
                </p>
              ) : (
                <ul class="found cards">
                  {attention.map((one) => (
                    <AttentionCard key={`${one.kind} ${one.subject}`} {...one} />
                  ))}
                </ul>
              )}
            </Section>
            {inFlight !== undefined && <InFlight runs={inFlight.runs} />}
            {budgets !== undefined && <Budgets budgets={budgets} />}
          </>
        )}
      </Shown>
    </Screen>
  );
}

function Figures({ wallet, spent, inFlight }: Pick<Overview, "wallet" | "spent" | "inFlight">) {
  if (wallet === undefined && spent === undefined && inFlight === undefined) return null;
  return (
    <div class="figures">
      {wallet !== undefined && (
        <>
          <div>
            <span class="figure-name">Balance</span>
            {wallet.unlimited ? "Unlimited" : <Money amount={wallet.balance} />}
          </div>
          <div>
            <span class="figure-name">Held for runs</span>
            <Money amount={wallet.held} />
          </div>
        </>
      )}
      {spent !== undefined && (
        <>
          <div>
            <span class="figure-name">Spent today (UTC)</span>
            <Money amount={spent.today} />
          </div>
          <div>
            <span class="figure-name">Spent this month</span>
            <Money amount={spent.month} />
          </div>
        </>
      )}
      {inFlight !== undefined && (
        <div>
          <span class="figure-name">In flight</span>
          {countText(inFlight.count)}
          {inFlight.more ? "+" : ""}
        </div>
      )}
    </div>
  );
}

function AttentionCard({ kind, subject, text, since, next }: Attention) {
  const { name, tone } = attentionWords(kind);
  const link = attentionLink({ kind, subject }, openScreens.value);
  return (
    <li class={`card attention ${tone}`}>
      <div class="card-head">
        <Status status={name} tone={tone} />
        <span class="muted subject">
          <Inert text={subject} />
        </span>
      </div>
      <p>
        <Inert text={text} most={600} />
        {since !== undefined && (
          <span class="muted">
            {" "}
            <Time at={since} />
          </span>
        )}
      </p>
      <div class="attention-next">
        {link !== undefined && (
          <a class="button" href={link.address}>
            {link.words}
          </a>
        )}
        {next !== undefined && <Copied text={inertText(next)} label={`Command for ${inertText(subject)}`} />}
      </div>
    </li>
  );
}

const runColumns: readonly Column<RunListItem>[] = [
  {
    name: "Endpoint",
    cell: (run) => (
      <a class="row-link" href={href(["runs", run.runId])}>
        <EndpointName of={run} />
      </a>
    ),
  },
  { name: "Status", cell: (run) => <RunStatus run={run} /> },
  { name: "Asked for", align: "end", cell: (run) => <Time at={run.createdAt} /> },
];

function InFlight({ runs }: { readonly runs: readonly RunListItem[] }) {
  return (
    <Section title="Runs in flight" aside={<a href="#/runs">All runs</a>}>
      {runs.length > 0 ? (
        <Table caption="Runs in flight, newest first" columns={runColumns} rows={runs} keyOf={(run) => run.runId} />
      ) : (
        <Empty title="No run is under way." command={EXAMPLE_RUN} right="startRun">
          <p>
            <a href="#/discover">Find an endpoint and run it here</a>, or type:
          </p>
        </Empty>
      )}
    </Section>
  );
}

const budgetColumns: readonly Column<WorkspaceBudget>[] = [
  {
    name: "Budget",
    cell: ({ period, status }) => (
      <>
        {statusText(period)} {status !== "ACTIVE" && <Status status={status} />}
      </>
    ),
  },
  {
    name: "Used",
    cell: ({ spentAmount, heldAmount, limitAmount, period }) => (
      <Meter label={`${statusText(period)} budget used`} share={(spentAmount + heldAmount) / limitAmount} />
    ),
  },
  { name: "Spent", align: "end", cell: ({ spentAmount }) => <Money micros={toMicros(spentAmount)} /> },
  { name: "Limit", align: "end", cell: ({ limitAmount }) => <Money micros={toMicros(limitAmount)} /> },
];

function Budgets({ budgets }: { readonly budgets: readonly WorkspaceBudget[] }) {
  return (
    <Section title="Budgets">
      {budgets.length > 0 ? (
        <Table
          caption="Budgets, with what was spent of each"
          columns={budgetColumns}
          rows={budgets}
          keyOf={({ budgetControlId }) => budgetControlId}
        />
      ) : (
        <Empty
          title="No budget limits what is spent."
          command="mkt budgets create --period day --limit 5"
          right="createBudget"
        >
          <p>For at most $5 a day, type:</p>
        </Empty>
      )}
    </Section>
  );
}
