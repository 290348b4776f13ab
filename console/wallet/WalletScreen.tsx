import type { WalletActivity, WalletActivityPage, WalletBalanceResponse } from "../../shared/contract/wallet.ts";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Money } from "../parts/Money.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Screen, Section } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { href } from "../page/route.ts";
import { isOperator, may } from "../service/rights.ts";
import { type Loaded, useLoaded, useReloadOn } from "../service/use-loaded.ts";
import type { ScreenProps } from "../shell/screen-entry.ts";
import { counted } from "../words/amounts.ts";
import { EXAMPLE_RUN } from "../words/example-commands.ts";
import { inertText } from "../words/inert-text.ts";
import { statusText } from "../words/statuses.ts";
import { CreditForm } from "./CreditForm.tsx";

const PAGE = 50;

/** `#/wallet`: what can be spent, every movement of it, and for an operator the form that adds to it. */
export function WalletScreen({ route: { query } }: ScreenProps) {
  const cursor = query.get("cursor") ?? undefined;
  const balance = useLoaded("balance", async (client, signal) => client.getWalletBalance({}, { signal }));
  const activities = useLoaded(`${cursor}`, async (client, signal) =>
    client.listWalletActivities({ query: { limit: PAGE, cursor } }, { signal }),
  );
  const reload = () => {
    balance.reload();
    // Older pages do not change: what is new stands on the first one.
    if (cursor === undefined) activities.reload();
  };
  useReloadOn(["wallet", "reset"], reload);
  return (
    <Screen title="Wallet" name="Wallet" lead="What the workspace can spend, and everything that moved.">
      <Shown of={balance}>{(wallet) => <Figures wallet={wallet} />}</Shown>
      {isOperator.value && <CreditForm onCredited={reload} />}
      <Section title="Activities">
        <Activities of={activities} cursor={cursor} />
      </Section>
    </Screen>
  );
}

function Figures({ wallet: { balance, held, unlimited } }: { readonly wallet: WalletBalanceResponse }) {
  return (
    <div class="figures">
      <div>
        <span class="figure-name">Balance</span>
        <Money amount={dollars(balance)} />
        {unlimited && <small class="muted">no run is refused for it</small>}
      </div>
      <div>
        <span class="figure-name">Held for runs in flight</span>
        <Money amount={dollars(held)} />
      </div>
    </div>
  );
}

interface ActivitiesProps {
  readonly of: Loaded<WalletActivityPage>;
  readonly cursor: string | undefined;
}

function Activities({ of, cursor }: ActivitiesProps) {
  const damaged = of.value?.damaged?.length ?? 0;
  return (
    <>
      <PagedTable
        of={of}
        caption="Activities, newest first"
        columns={columns}
        keyOf={({ activityId }) => activityId}
        at={["wallet"]}
        cursor={cursor}
        empty={
          <Empty title="Nothing has moved yet." command={isOperator.value ? "mkt wallet credit 10" : EXAMPLE_RUN}>
            {isOperator.value ? (
              <p>Credit the wallet above, or type:</p>
            ) : (
              may("startRun") && <p>Each run that costs something is listed here:</p>
            )}
          </Empty>
        }
      />
      {damaged > 0 && (
        <p class="below warn-text">
          {counted(damaged, "entry", "entries")} of this page cannot be read from the disk. The balance has them.
        </p>
      )}
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  TOPUP: "Credit",
  ADJUSTMENT: "Adjustment",
  RUN_HOLD: "Held for a run",
  RUN_RELEASE: "Given back after a run",
  RUN_CHARGE: "Charged for a run",
  RESOURCE_CHARGE: "Rent of a resource",
};

const columns: readonly Column<WalletActivity>[] = [
  {
    name: "What",
    cell: ({ type, createdAt }) => (
      <span class="two-lines">
        {WORDS[type] ?? statusText(inertText(type))}
        <small class="to-medium muted">
          <Time at={createdAt} as="clock" />
        </small>
      </span>
    ),
  },
  {
    name: "Amount",
    align: "end",
    cell: ({ amount }) => (
      <>
        {amount.value > 0 && "+"}
        <Money amount={dollars(amount)} />
      </>
    ),
  },
  { name: "For", cell: (activity) => <Cause {...activity} /> },
  { name: "When", align: "end", from: "medium", cell: ({ createdAt }) => <Time at={createdAt} as="clock" /> },
];

/** The run, the resource or the words of a person that a movement is about. */
function Cause({ runId, resourceId, reason }: WalletActivity) {
  if (runId !== undefined) {
    const name = <code>{runId}</code>;
    return may("getRun") ? <a href={href(["runs", runId])}>{name}</a> : name;
  }
  if (reason !== undefined) return <Inert text={reason} most={200} />;
  return resourceId === undefined ? <span class="muted">–</span> : <Inert text={resourceId} />;
}

/** The service counts in dollars alone; its answer leaves room for more. */
function dollars({ value }: WalletActivity["amount"]) {
  return { value, currency: "USD" as const };
}
