import { useState } from "preact/hooks";
import type { ApprovalRule } from "../../shared/contract/approvals.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { AmountField, TextField } from "../parts/Field.tsx";
import { FormDialog } from "../parts/FormDialog.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Money } from "../parts/Money.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { countText, moneyText, toMicros } from "../words/amounts.ts";
import { readAmount } from "../words/typed-amount.ts";
import { numberAsTyped, withPoint } from "../words/typed-number.ts";
import { DeleteButton, PauseButton } from "./ControlButtons.tsx";
import { LimitForm } from "./LimitForm.tsx";
import type { ListProps } from "./list-props.ts";

const HOUR_SECONDS = 3_600;

/** From which amount on a run waits for a person. */
export function ApprovalRules({ cursor }: ListProps) {
  const rules = useLoaded(`${cursor}`, async (client, signal) =>
    client.listApprovalRules({ query: { limit: 50, cursor } }, { signal }),
  );
  useReloadOn(["approval", "reset"], rules.reload);
  const [keyLabel, setKeyLabel] = useState("");
  const [changed, setChanged] = useState<ApprovalRule | undefined>(undefined);
  return (
    <>
      {may("createApprovalRule") && (
        <LimitForm
          label="A run waits above"
          submit="Make a rule"
          further={keyLabel}
          onSubmit={async (limitAmount, headers) => {
            const label = keyLabel.trim();
            const body = { limitAmount, ...(label !== "" && { keyLabel: label }) };
            await api().createApprovalRule({ body }, { headers });
            setKeyLabel("");
            say("The rule is made.");
            rules.reload();
          }}
        >
          <TextField label="Only for the key" help="Empty: for all" value={keyLabel} onInput={setKeyLabel} />
        </LimitForm>
      )}
      <PagedTable
        of={rules}
        caption="Approval rules, newest first"
        columns={columns(rules.reload, setChanged)}
        keyOf={({ ruleId }) => ruleId}
        at={["controls", "rules"]}
        cursor={cursor}
        empty={
          <Empty
            title="No rule: no run waits for a person."
            command="mkt approvals rules create --above 5"
            right="createApprovalRule"
          >
            <p>Make one above, or type:</p>
          </Empty>
        }
      />
      {changed !== undefined && <RuleForm of={changed} onClose={() => setChanged(undefined)} onDone={rules.reload} />}
    </>
  );
}

interface RuleFormProps {
  readonly of: ApprovalRule;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function RuleForm({ of, onClose, onDone }: RuleFormProps) {
  const [limit, setLimit] = useState(numberAsTyped(of.limitAmount));
  const [hours, setHours] = useState(numberAsTyped(of.expiresInSeconds / HOUR_SECONDS));
  const send = async () => {
    const limitAmount = readAmount(limit);
    const expiresInSeconds = Math.round(Number(withPoint(hours)) * HOUR_SECONDS);
    if (!(expiresInSeconds > 0)) throw new Error("Type how many hours a run waits, such as 24.");
    await api().updateApprovalRule({ params: { ruleId: of.ruleId }, body: { limitAmount, expiresInSeconds } });
    onDone();
  };
  return (
    <FormDialog title="Change the rule" submit="Save" onSubmit={send} onClose={onClose}>
      <AmountField label="A run waits above" value={limit} onInput={setLimit} />
      <TextField
        label="It waits for"
        inputMode="decimal"
        help="Hours; not approved until then, it is blocked"
        value={hours}
        onInput={setHours}
      />
    </FormDialog>
  );
}

function columns(reload: () => void, onChange: (rule: ApprovalRule) => void): readonly Column<ApprovalRule>[] {
  const change = (ruleId: string, status: ApprovalRule["status"]) => async () => {
    await api().updateApprovalRule({ params: { ruleId }, body: { status } });
    reload();
  };
  return [
    { name: "A run waits above", cell: (rule) => <Money micros={toMicros(rule.limitAmount)} /> },
    {
      name: "Key",
      from: "medium",
      cell: ({ keyLabel }) =>
        keyLabel === undefined ? <span class="muted">all</span> : <Inert text={keyLabel} most={90} />,
    },
    { name: "Status", cell: ({ status }) => <Status status={status} /> },
    {
      name: "Hours",
      align: "end",
      from: "wide",
      cell: ({ expiresInSeconds }) => countText(Math.round((expiresInSeconds / HOUR_SECONDS) * 100) / 100),
    },
    {
      name: "Change",
      hideName: true,
      align: "end",
      cell: (rule) => {
        const subject = `the rule of ${moneyText(toMicros(rule.limitAmount))}`;
        return (
          <span class="actions">
            {may("updateApprovalRule") && (
              <>
                <Button label={`Change ${subject}`} onPress={() => onChange(rule)}>
                  Change
                </Button>
                <PauseButton
                  isActive={rule.status === "ACTIVE"}
                  subject={subject}
                  onPause={change(rule.ruleId, "PAUSED")}
                  onResume={change(rule.ruleId, "ACTIVE")}
                />
              </>
            )}
            {may("deleteApprovalRule") && (
              <DeleteButton
                subject={subject}
                text="Runs do not wait because of it any more. Those that wait already go on waiting."
                onDelete={async () => {
                  await api().deleteApprovalRule({ params: { ruleId: rule.ruleId } });
                  reload();
                }}
              />
            )}
          </span>
        );
      },
    },
  ];
}
