import { useState } from "preact/hooks";
import { eventTypes } from "../../shared/contract/event-types.ts";
import type { CreateWebhookRequest, Webhook } from "../../shared/contract/webhooks.ts";
import { Choice, TextField } from "../parts/Field.tsx";
import { FormDialog } from "../parts/FormDialog.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { useOnce } from "../service/use-once.ts";

interface WebhookFormProps {
  /** The one that is changed; absent: a new one. */
  readonly of?: Webhook | undefined;
  readonly onClose: () => void;
  /** With the secret of a new one, which is shown now and never again. */
  readonly onDone: (secret?: string) => void;
}

type Events = NonNullable<CreateWebhookRequest["events"]>;
type Format = NonNullable<CreateWebhookRequest["format"]>;

/** Who is told, and of what. The address stays as it was made: it may be a secret, and nobody reads it. */
export function WebhookForm({ of, onClose, onDone }: WebhookFormProps) {
  const [url, setUrl] = useState("");
  const [name, setName] = useState(of?.name ?? "");
  const [format, setFormat] = useState<Format>("standard");
  const [events, setEvents] = useState<readonly string[]>(of?.events ?? ["*"]);
  const once = useOnce(JSON.stringify([url, name, format, events]));
  const send = async () => {
    const common = { events: [...events] as Events, ...(name.trim() !== "" && { name: name.trim() }) };
    if (of === undefined) {
      const body = { ...common, url: url.trim(), format };
      const { secret } = await api().createWebhook({ body }, { headers: once.headers });
      // The answer to a repeat has none.
      if (secret === undefined)
        say("The webhook is made. Its secret was lost on the way: open it and press New secret.", "bad");
      return onDone(secret);
    }
    await api().updateWebhook({ params: { webhookId: of.webhookId }, body: common });
    onDone();
  };
  return (
    <FormDialog
      title={of === undefined ? "Make a webhook" : "Change the webhook"}
      submit={of === undefined ? "Make it" : "Save"}
      onSubmit={send}
      onClose={onClose}
    >
      {of === undefined && (
        <>
          <TextField
            label="Address"
            required
            inputMode="url"
            placeholder="https://example.com/hook"
            value={url}
            onInput={setUrl}
          />
          <Choice label="Format" value={format} options={FORMATS} onChoose={setFormat} />
        </>
      )}
      <TextField label="Name" help="Empty: its host" value={name} onInput={setName} />
      <EventBoxes chosen={events} onChoose={setEvents} />
    </FormDialog>
  );
}

const FORMATS: readonly (readonly [Format, string])[] = [
  ["standard", "JSON, signed"],
  ["slack", "a text for a chat"],
];

interface EventBoxesProps {
  readonly chosen: readonly string[];
  readonly onChoose: (events: readonly string[]) => void;
}

/** Groups such as `run.*` of the command line are kept, as a box of their own. */
function EventBoxes({ chosen, onChoose }: EventBoxesProps) {
  const groups = chosen.filter((one) => one !== "*" && !eventTypes.some((type) => type === one));
  return (
    <fieldset class="boxes">
      <legend class="label">Events</legend>
      {["*", ...groups, ...eventTypes].map((event) => (
        <label key={event}>
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ currentTarget }) =>
              onChoose(currentTarget.checked ? [...chosen, event] : chosen.filter((one) => one !== event))
            }
          />
          <span>{event === "*" ? "all" : <code>{event}</code>}</span>
        </label>
      ))}
    </fieldset>
  );
}
