import type { ComponentChildren } from "preact";
import type { Loaded } from "../service/use-loaded.ts";
import { inertText } from "../words/inert-text.ts";
import { Button } from "./Button.tsx";

interface ShownProps<Value> {
  readonly of: Omit<Loaded<Value>, "put">;
  readonly children: (value: Value) => ComponentChildren;
}

/** What was read, or that it is on its way, or why there is none and how to try again. */
export function Shown<Value>({ of, children }: ShownProps<Value>) {
  if (of.value !== undefined) {
    return (
      <div aria-busy={of.isLoading}>
        {of.error !== undefined && <Problem text={of.error} onRetry={of.reload} />}
        {children(of.value)}
      </div>
    );
  }
  if (of.error !== undefined) return <Problem text={of.error} onRetry={of.reload} />;
  return (
    <div class="waiting" aria-busy="true">
      <span class="unseen">Loading</span>
    </div>
  );
}

export function Problem({ text, onRetry }: { readonly text: string; readonly onRetry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <p>{inertText(text)}</p>
      {onRetry !== undefined && <Button onPress={onRetry}>Try again</Button>}
    </div>
  );
}
