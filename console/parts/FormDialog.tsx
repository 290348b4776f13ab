import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../../shared/error-text.ts";
import { inertText } from "../words/inert-text.ts";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

interface FormDialogProps {
  readonly title: string;
  /** The words of its button. */
  readonly submit: string;
  readonly kind?: "primary" | "danger";
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in front of the screen. It closes once the service has taken what it says, and else shows why not. */
export function FormDialog({ title, submit, kind = "primary", onSubmit, onClose, children }: FormDialogProps) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await onSubmit();
      onClose();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="tall"
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {children}
        {problem !== undefined && (
          <p class="help bad" role="alert">
            {inertText(problem)}
          </p>
        )}
        <div class="actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button kind={kind} type="submit">
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
