import { useState } from "preact/hooks";
import type { MoneyUnits } from "../../shared/contract/common.ts";
import { Button } from "../parts/Button.tsx";
import { AmountField } from "../parts/Field.tsx";
import { FormDialog } from "../parts/FormDialog.tsx";
import { readAmount } from "../words/typed-amount.ts";
import { numberAsTyped } from "../words/typed-number.ts";

interface ChangeLimitProps {
  /** What it is, for readers of screens and in the title: `the cap of $2`. */
  readonly subject: string;
  readonly label: string;
  /** Dollars. */
  readonly limit: number;
  readonly onChange: (limitAmount: MoneyUnits) => Promise<unknown>;
}

/** Changes the amount of a budget or of a cap. What was spent stays. */
export function ChangeLimit({ subject, label, limit, onChange }: ChangeLimitProps) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const send = async () => {
    await onChange(readAmount(typed));
  };
  return (
    <>
      <Button
        label={`Change ${subject}`}
        onPress={() => {
          setTyped(numberAsTyped(limit));
          setOpen(true);
        }}
      >
        Change
      </Button>
      {isOpen && (
        <FormDialog title={`Change ${subject}`} submit="Save" onSubmit={send} onClose={() => setOpen(false)}>
          <AmountField label={label} value={typed} onInput={setTyped} />
        </FormDialog>
      )}
    </>
  );
}
