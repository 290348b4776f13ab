import { useState } from "preact/hooks";
import { toMoney } from "../../shared/micro-dollars.ts";
import { errorText } from "../../shared/error-text.ts";
import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/Button.tsx";
import { AmountField, TextField } from "../parts/Field.tsx";
import { Section } from "../parts/Screen.tsx";
import { Problem } from "../parts/Shown.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { caller } from "../service/rights.ts";
import { useOnce } from "../service/use-once.ts";
import { moneyText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { typedMicros } from "../words/typed-amount.ts";

interface Refusal {
  readonly at: "amount" | "reason" | "service";
  readonly text: string;
}

/** Adds to the wallet of the workspace, once for what is typed. */
export function CreditForm({ onCredited }: { readonly onCredited: () => void }) {
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  const once = useOnce(JSON.stringify([typed, reason]));
  const { workspace } = caller.value ?? {};
  if (workspace === undefined) return null;

  const send = async () => {
    const amount = typedMicros(typed);
    setRefusal(undefined);
    if (amount === undefined || amount === 0) {
      return setRefusal({ at: "amount", text: "Type an amount above 0 in dollars, such as 12.50." });
    }
    if (reason.trim() === "") return setRefusal({ at: "reason", text: "Say why: it stands in the list below." });
    const words = moneyText(amount);
    const text = `The workspace ${inertText(workspace.name)} can spend it at once.`;
    if (!(await ask(`Credit ${words}?`, text, "Credit"))) return;
    try {
      await api().creditWallet(
        { params: { workspaceId: workspace.workspaceId }, body: { amount: toMoney(amount), reason: reason.trim() } },
        { headers: once.headers },
      );
      once.done();
      setTyped("");
      setReason("");
      say(`Credited ${words}.`);
      onCredited();
    } catch (error) {
      setRefusal({ at: "service", text: errorText(error) });
    }
  };
  const refusedAt = (at: Refusal["at"]) => (refusal?.at === at ? refusal.text : undefined);

  return (
    <Section title="Credit">
      <form
        class="panel"
        aria-label="Credit"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div class="fields">
          <AmountField
            label="Amount"
            placeholder="12.50"
            value={typed}
            problem={refusedAt("amount")}
            onInput={setTyped}
          />
          <TextField
            label="Reason"
            placeholder="Budget of November"
            help="Stands in the list of activities"
            value={reason}
            problem={refusedAt("reason")}
            onInput={setReason}
          />
        </div>
        {refusal?.at === "service" && <Problem text={refusal.text} />}
        <div class="actions">
          <Button kind="primary" type="submit" icon="plus">
            Credit
          </Button>
        </div>
      </form>
    </Section>
  );
}
