import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { MoneyUnits } from "../../shared/contract/common.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../parts/Button.tsx";
import { AmountField } from "../parts/Field.tsx";
import { type Once, useOnce } from "../service/use-once.ts";
import { readAmount } from "../words/typed-amount.ts";

interface LimitFormProps {
  readonly label: string;
  readonly submit: string;
  readonly onSubmit: (amount: MoneyUnits, headers: Once["headers"]) => Promise<unknown>;
  /** Further controls, and what is chosen in them. */
  readonly children?: ComponentChildren;
  readonly further?: string;
}

/** Asks for an amount, and what else a limit takes. */
export function LimitForm({ label, submit, onSubmit, children, further }: LimitFormProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const once = useOnce(JSON.stringify([typed, further]));
  const send = async () => {
    if (isBusy) return;
    setProblem(undefined);
    setBusy(true);
    try {
      await onSubmit(readAmount(typed), once.headers);
      once.done();
      setTyped("");
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="filters"
      aria-label={submit}
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="fields">
        <AmountField label={label} placeholder="12.50" value={typed} problem={problem} onInput={setTyped} />
        {children}
      </div>
      <Button kind="primary" type="submit" icon="plus">
        {submit}
      </Button>
    </form>
  );
}
