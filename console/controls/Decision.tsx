import { useState } from "preact/hooks";
import type { Approval } from "../../shared/contract/approvals.ts";
import { Facts } from "../parts/Facts.tsx";
import { TextField } from "../parts/Field.tsx";
import { FormDialog } from "../parts/FormDialog.tsx";
import { Inert } from "../parts/Inert.tsx";
import { Money } from "../parts/Money.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Time } from "../parts/Time.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { useLoaded } from "../service/use-loaded.ts";
import { inertText } from "../words/inert-text.ts";

interface DecisionProps {
  readonly run: Omit<Approval, "input">;
  readonly way: "approve" | "deny";
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** How much of an input is shown; the run's own page has all of it. */
const MOST_OF_INPUT = 4_000;

/** What is decided about, with its input, and the answer. The service refuses the key that asked for the run, and says so. */
export function Decision({ run, way, onClose, onDone }: DecisionProps) {
  const { runId } = run;
  const whole = useLoaded(runId, async (client, signal) => client.getApproval({ params: { runId } }, { signal }));
  const [reason, setReason] = useState("");
  const send = async () => {
    const why = reason.trim();
    if (way === "approve") await api().approveRun({ params: { runId } });
    else await api().denyRun({ params: { runId }, body: why === "" ? {} : { reason: why } });
    say(way === "approve" ? "Approved: the run begins." : "Denied: the run is blocked.");
    onDone();
  };
  return (
    <FormDialog
      title={way === "approve" ? "Approve this run?" : "Deny this run?"}
      submit={way === "approve" ? "Approve" : "Deny"}
      kind={way === "approve" ? "primary" : "danger"}
      onSubmit={send}
      onClose={onClose}
    >
      <p>{way === "approve" ? "It begins at once." : "It ends as blocked, and costs nothing."}</p>
      <Facts
        facts={[
          ["Endpoint", <Inert key="e" text={`${run.provider}${run.endpoint}`} most={200} />],
          ["May cost", <Money key="m" amount={run.maximum} />],
          ["Likely", <Money key="l" amount={run.estimate} />],
          ["Asked for by", inertText(run.keyLabel ?? "a person without a key")],
          ["Waits until", <Time key="w" at={run.expiresAt} as="clock" />],
          ...(run.goesOnTo ?? []).map(
            ({ provider, endpoint, maximum }, index) =>
              [
                index === 0 ? "May go on to" : `Then ${index + 1}`,
                <span key={index}>
                  <Inert text={`${provider}${endpoint}`} most={120} />, <Money amount={maximum} />
                </span>,
              ] as const,
          ),
        ]}
      />
      <Shown of={whole}>
        {({ input }) => (
          <div class="field">
            <span class="label">Input</span>
            <pre class="raw short" tabIndex={0} aria-label="Input">
              {inertText(inputText(input))}
            </pre>
          </div>
        )}
      </Shown>
      {way === "deny" && (
        <TextField
          label="Reason"
          help="Shown to whoever asked for the run; not needed"
          value={reason}
          onInput={setReason}
        />
      )}
    </FormDialog>
  );
}

/** Without the parts of it that are empty. */
function inputText(input: Approval["input"]): string {
  const filled = Object.entries(input).filter(([, part]) => JSON.stringify(part) !== "{}");
  const text = JSON.stringify(Object.fromEntries(filled), null, 2);
  return text.length > MOST_OF_INPUT ? `${text.slice(0, MOST_OF_INPUT)}…` : text;
}
