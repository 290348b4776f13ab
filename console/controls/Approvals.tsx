import type { ApprovalPage } from "../../shared/contract/approvals.ts";
import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Money } from "../parts/Money.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { href } from "../page/route.ts";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import type { ListProps } from "./list-props.ts";

type Waiting = ApprovalPage["items"][number];

/** The runs that wait for a person. */
export function Approvals({ cursor }: ListProps) {
  const approvals = useLoaded(`${cursor}`, async (client, signal) =>
    client.listApprovals({ query: { limit: 50, cursor } }, { signal }),
  );
  useReloadOn(["approval", "reset"], approvals.reload);
  return (
    <PagedTable
      of={approvals}
      caption="Runs that wait for approval, newest first"
      columns={columns(approvals.reload)}
      keyOf={({ runId }) => runId}
      at={["controls", "approvals"]}
      cursor={cursor}
      empty={
        <Empty title="No run waits for approval." command="mkt approvals rules create --above 5">
          <p>Runs wait for a person here once they may cost more than an amount that you set:</p>
        </Empty>
      }
    />
  );
}

function columns(reload: () => void): readonly Column<Waiting>[] {
  return [
    {
      name: "Run",
      cell: (run) => (
        <a class="row-link" href={href(["runs", run.runId])}>
          <span class="two-lines">
            <Inert text={`${run.provider}${run.endpoint}`} most={90} />
            <small class="muted">asked for by {inertText(run.keyLabel ?? run.caller)}</small>
          </span>
        </a>
      ),
    },
    { name: "May cost", align: "end", cell: (run) => <Money amount={run.maximum} /> },
    { name: "Likely", align: "end", from: "medium", cell: (run) => <Money amount={run.estimate} /> },
    { name: "Waits until", align: "end", from: "medium", cell: (run) => <Time at={run.expiresAt} as="clock" /> },
    {
      name: "Decide",
      hideName: true,
      align: "end",
      cell: (run) => (
        <span class="actions">
          {may("approveRun") && <Approve run={run} reload={reload} />}
          {may("denyRun") && <Deny run={run} reload={reload} />}
        </span>
      ),
    },
  ];
}

interface DecisionProps {
  readonly run: Waiting;
  readonly reload: () => void;
}

/** The service refuses the key that asked for the run, and says so. */
function Approve({ run, reload }: DecisionProps) {
  return (
    <Button
      icon="play"
      label={`Yes, approve run ${run.runId}`}
      onPress={async () => {
        const most = moneyText(toMicros(run.maximum));
        const what = inertText(`${run.provider}${run.endpoint}`.slice(0, 200));
        if (!(await ask("Approve this run?", `${what} begins at once, and may cost ${most}.`, "Approve"))) return;
        await api().approveRun({ params: { runId: run.runId } });
        say("Approved: the run begins.");
        reload();
      }}
    >
      Yes
    </Button>
  );
}

function Deny({ run, reload }: DecisionProps) {
  return (
    <Button
      icon="stop"
      label={`No, deny run ${run.runId}`}
      onPress={async () => {
        if (!(await ask("Deny this run?", "It ends as blocked, and costs nothing.", "Deny"))) return;
        await api().denyRun({ params: { runId: run.runId }, body: {} });
        say("Denied: the run is blocked.");
        reload();
      }}
    >
      No
    </Button>
  );
}
