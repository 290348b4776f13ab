import { closeToast, toasts } from "../page/toasts.ts";
import { inertText } from "../words/inert-text.ts";
import { Icon } from "./Icon.tsx";

/** What was said lately; readers of screens hear it without losing their place. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{inertText(text)}</span>
          <button
            type="button"
            class="button quiet icon-only"
            aria-label="Close this message"
            onClick={() => closeToast(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
