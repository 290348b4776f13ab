import { say } from "../page/toasts.ts";
import { Button } from "./Button.tsx";

/** A text to take along, with the button that takes it. */
export function Copied({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  return (
    <div class="copied">
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      <Button
        icon="copy"
        kind="quiet"
        label={`${label} to the clipboard`}
        onPress={async () => {
          await navigator.clipboard.writeText(text);
          say("Copied");
        }}
      />
    </div>
  );
}
