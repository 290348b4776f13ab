import { useState } from "preact/hooks";
import type { ApprovalPage } from "../../shared/contract/approvals.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Money } from "../parts/Money.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { href } from "../page/route.ts";
import { EndpointName } from "../runs/EndpointName.tsx";
import { caller, may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { inertText } from "../words/inert-text.ts";
import { Decision } from "./Decision.tsx";
import type { ListProps } from "./list-props.ts";

type Waiting = ApprovalPage["items"][number];

interface Deciding {
  readonly run: Waiting;
  readonly way: "approve" | "deny";
}

/** The runs that wait for a person. */
export function Approvals({ cursor }: ListProps) {
  const approvals = useLoaded(`${cursor}`, async (client, signal) =>
    client.listApprovals({ query: { limit: 50, cursor } }, { signal }),
  );
  useReloadOn(["approval", "reset"], approvals.reload);
  const [deciding, decide] = useState<Deciding | undefined>(undefined);
  return (
    <>
      <PagedTable
        of={approvals}
        caption="Runs that wait for approval, newest first"
        columns={columns(decide)}
        keyOf={({ runId }) => runId}
        at={["controls", "approvals"]}
        cursor={cursor}
        empty={
          <Empty
            title="No run waits for approval."
            command="mkt approvals rules create --above 5"
            right="createApprovalRule"
          >
            <p>Runs wait for a person here once they may cost more than an amount that you set:</p>
          </Empty>
        }
      />
      {deciding !== undefined && <Decision {...deciding} onClose={() => decide(undefined)} onDone={approvals.reload} />}
    </>
  );
}

/** Somebody else has to approve what this key asked for; it may deny it. docs/contract.md, "Who approves" */
function isOwn({ caller: asker }: Waiting): boolean {
  const { credential, user } = caller.value ?? {};
  return (
    asker === (credential?.fingerprint === undefined ? `USER#${user?.userId}` : `API_KEY#${credential.fingerprint}`)
  );
}

function columns(decide: (deciding: Deciding) => void): readonly Column<Waiting>[] {
  return [
    {
      name: "Run",
      cell: (run) => (
        <a class="row-link" href={href(["runs", run.runId])}>
          <span class="two-lines">
            <EndpointName of={run} />
            <small class="muted">
              asked for by {inertText(run.keyLabel ?? "a person without a key")}
              {isOwn(run) && may("approveRun") && "; somebody else has to approve it"}
            </small>
            <span class="to-medium">
              <Money amount={run.maximum} /> at most
            </span>
            <small class="to-medium muted">
              waits until <Time at={run.expiresAt} as="clock" />
            </small>
          </span>
        </a>
      ),
    },
    {
      name: "May cost",
      align: "end",
      from: "medium",
      cell: (run) => (
        <span class="two-lines">
          <Money amount={run.maximum} />
          <small class="muted">
            likely <Money amount={run.estimate} />
          </small>
        </span>
      ),
    },
    { name: "Waits until", align: "end", from: "medium", cell: (run) => <Time at={run.expiresAt} as="clock" /> },
    {
      name: "Decide",
      hideName: true,
      align: "end",
      cell: (run) => (
        <span class="actions">
          {may("approveRun") && !isOwn(run) && (
            <Button
              kind="primary"
              icon="play"
              label={`Approve run ${run.runId}`}
              onPress={() => decide({ run, way: "approve" })}
            >
              Approve
            </Button>
          )}
          {may("denyRun") && (
            <Button kind="quiet" label={`Deny run ${run.runId}`} onPress={() => decide({ run, way: "deny" })}>
              Deny
            </Button>
          )}
        </span>
      ),
    },
  ];
}
