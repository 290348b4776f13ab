import type { WorkspaceRunCap } from "../../shared/contract/controls.ts";
import { Empty } from "../parts/Empty.tsx";
import { Money } from "../parts/Money.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { limitActions } from "./limit-actions.tsx";
import type { ListProps } from "./list-props.ts";
import { LimitForm } from "./LimitForm.tsx";

/** What a single run may cost at most. */
export function RunCaps({ cursor }: ListProps) {
  const caps = useLoaded(`${cursor}`, async (client, signal) =>
    client.listRunCaps({ query: { limit: 50, cursor } }, { signal }),
  );
  useReloadOn(["control", "reset"], caps.reload);
  return (
    <>
      {may("createRunCap") && (
        <LimitForm
          label="A run may cost"
          submit="Make a cap"
          onSubmit={async (limitAmount, headers) => {
            await api().createRunCap({ body: { limitAmount } }, { headers });
            say("The cap is made.");
            caps.reload();
          }}
        />
      )}
      <PagedTable
        of={caps}
        caption="Run caps, newest first"
        columns={columns(caps.reload)}
        keyOf={({ runCapControlId }) => runCapControlId}
        at={["controls", "caps"]}
        cursor={cursor}
        empty={
          <Empty
            title="There is no cap: a run may cost what its price says."
            command="mkt caps create --limit 2"
            right="createRunCap"
          >
            <p>Make one above, or type:</p>
          </Empty>
        }
      />
    </>
  );
}

function columns(reload: () => void): readonly Column<WorkspaceRunCap>[] {
  return [
    { name: "A run may cost", cell: (cap) => <Money micros={toMicros(cap.limitAmount)} /> },
    { name: "Status", cell: ({ status }) => <Status status={status} /> },
    { name: "Changed", align: "end", from: "medium", cell: (cap) => <Time at={cap.updatedAt} /> },
    limitActions({
      label: "A run may cost",
      nameOf: ({ limitAmount }: WorkspaceRunCap) => `the cap of ${moneyText(toMicros(limitAmount))}`,
      rights: { update: "updateRunCap", delete: "deleteRunCap" },
      async update({ runCapControlId }, body) {
        await api().updateRunCap({ params: { runCapControlId }, body });
        reload();
      },
      async remove({ runCapControlId }) {
        await api().deleteRunCap({ params: { runCapControlId } });
        reload();
      },
    }),
  ];
}
