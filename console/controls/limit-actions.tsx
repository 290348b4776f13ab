import type { MoneyUnits } from "../../shared/contract/common.ts";
import type { WorkspaceBudget, WorkspaceBudgetPatchRequest, WorkspaceRunCap } from "../../shared/contract/controls.ts";
import type { Column } from "../parts/Table.tsx";
import { may, type Right } from "../service/rights.ts";
import { ChangeLimit } from "./ChangeLimit.tsx";
import { DeleteButton, PauseButton } from "./ControlButtons.tsx";

interface LimitActions<Limit> {
  /** Of the field that asks for another amount. */
  readonly label: string;
  /** What it is, for readers of screens and in titles: `the cap of $2`. */
  readonly nameOf: (limit: Limit) => string;
  readonly rights: { readonly update: Right; readonly delete: Right };
  readonly update: (limit: Limit, body: WorkspaceBudgetPatchRequest) => Promise<unknown>;
  readonly remove: (limit: Limit) => Promise<unknown>;
}

/** The last column of a list of limits: to change, pause, resume and delete them, as far as the key may. */
export function limitActions<Limit extends WorkspaceBudget | WorkspaceRunCap>({
  label,
  nameOf,
  rights,
  update,
  remove,
}: LimitActions<Limit>): Column<Limit> {
  return {
    name: "Change",
    hideName: true,
    align: "end",
    cell: (limit) => (
      <span class="actions">
        {may(rights.update) && (
          <>
            <ChangeLimit
              subject={nameOf(limit)}
              label={label}
              limit={limit.limitAmount}
              onChange={async (limitAmount: MoneyUnits) => await update(limit, { limitAmount })}
            />
            <PauseButton
              isActive={limit.status === "ACTIVE"}
              subject={nameOf(limit)}
              onPause={async () => await update(limit, { status: "PAUSED" })}
              onResume={async () => await update(limit, { status: "ACTIVE" })}
            />
          </>
        )}
        {may(rights.delete) && (
          <DeleteButton
            subject={nameOf(limit)}
            text="Runs are not held to it any more."
            onDelete={async () => await remove(limit)}
          />
        )}
      </span>
    ),
  };
}
