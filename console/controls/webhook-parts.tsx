import type { Webhook } from "../../shared/contract/webhooks.ts";
import { Copied } from "../parts/Copied.tsx";
import { Dialog } from "../parts/Dialog.tsx";

export const whyDisabled: Readonly<Record<NonNullable<Webhook["disabledReason"]>, string>> = {
  ASKED: "somebody did it",
  GONE: "its receiver answered 410",
  KEY_REVOKED: "its key was revoked",
  KEY_EXPIRED: "its key has expired",
};

/** A secret that was made just now. */
export function WebhookSecret({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return (
    <Dialog title="The webhook's secret" onClose={onClose} stays>
      <p>Its receiver checks signatures with it. It is shown now, and never again.</p>
      <Copied text={text} label="Secret" />
    </Dialog>
  );
}
