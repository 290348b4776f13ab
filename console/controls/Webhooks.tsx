import { useState } from "preact/hooks";
import type { Webhook } from "../../shared/contract/webhooks.ts";
import { Button } from "../parts/Button.tsx";
import { Copied } from "../parts/Copied.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { DeleteButton, PauseButton } from "./ControlButtons.tsx";
import type { ListProps } from "./list-props.ts";
import { WebhookForm } from "./WebhookForm.tsx";

const REASONS: Readonly<Record<NonNullable<Webhook["disabledReason"]>, string>> = {
  ASKED: "somebody did it",
  GONE: "its receiver answered 410",
  KEY_REVOKED: "its key was revoked",
  KEY_EXPIRED: "its key has expired",
};

/** Who is told of what happens, and what did not arrive. */
export function Webhooks({ cursor }: ListProps) {
  const webhooks = useLoaded("all", async (client, signal) => client.listWebhooks({}, { signal }));
  useReloadOn(["webhook", "reset"], webhooks.reload);
  const [form, setForm] = useState<{ readonly of?: Webhook } | undefined>(undefined);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  return (
    <>
      {may("createWebhook") && (
        <div class="actions above">
          <Button kind="primary" icon="plus" onPress={() => setForm({})}>
            Make a webhook
          </Button>
        </div>
      )}
      <PagedTable
        of={webhooks}
        caption="Webhooks, oldest first"
        columns={columns(webhooks.reload, (of) => setForm({ of }))}
        keyOf={({ webhookId }) => webhookId}
        at={["controls", "webhooks"]}
        cursor={cursor}
        empty={
          <Empty title="Nobody is told of what happens here." command="mkt webhooks create https://example.com/hook">
            {may("createWebhook") && <p>Have an address told of runs, budgets, failing providers and approvals:</p>}
          </Empty>
        }
      />
      {form !== undefined && (
        <WebhookForm
          of={form.of}
          onClose={() => setForm(undefined)}
          onDone={(made) => {
            setSecret(made);
            webhooks.reload();
          }}
        />
      )}
      {secret !== undefined && <Secret text={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

function Secret({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return (
    <Dialog title="The webhook's secret" onClose={onClose}>
      <p>Its receiver checks signatures with it. It is shown now, and never again.</p>
      <Copied text={text} label="Secret" />
    </Dialog>
  );
}

function columns(reload: () => void, onChange: (webhook: Webhook) => void): readonly Column<Webhook>[] {
  const change = (webhookId: string, status: Webhook["status"]) => async () => {
    await api().updateWebhook({ params: { webhookId }, body: { status } });
    reload();
  };
  return [
    {
      name: "Webhook",
      cell: (webhook) => (
        <span class="two-lines">
          <Inert text={webhook.name} most={90} />
          <small class="muted">
            <Inert text={webhook.url} most={90} />
          </small>
        </span>
      ),
    },
    {
      name: "Status",
      cell: ({ status, disabledReason }) => (
        <span class="two-lines">
          <Status status={status} />
          {disabledReason !== undefined && <small class="muted">{REASONS[disabledReason]}</small>}
        </span>
      ),
    },
    { name: "Events", from: "wide", cell: ({ events }) => inertText(events.join(", ")) },
    { name: "Waiting", align: "end", from: "medium", cell: ({ waiting }) => countText(waiting) },
    { name: "Given up", align: "end", from: "medium", cell: ({ dead }) => countText(dead) },
    {
      name: "Change",
      hideName: true,
      align: "end",
      cell: (webhook) => (
        <span class="actions">
          {may("updateWebhook") && (
            <>
              <Button label={`Change the webhook ${inertText(webhook.name)}`} onPress={() => onChange(webhook)}>
                Change
              </Button>
              <PauseButton
                isActive={webhook.status === "ENABLED"}
                subject={`the webhook ${inertText(webhook.name)}`}
                onPause={change(webhook.webhookId, "DISABLED")}
                onResume={change(webhook.webhookId, "ENABLED")}
              />
            </>
          )}
          {may("deleteWebhook") && (
            <DeleteButton
              subject={`the webhook ${inertText(webhook.name)}`}
              text="Its deliveries go with it."
              onDelete={async () => {
                await api().deleteWebhook({ params: { webhookId: webhook.webhookId } });
                reload();
              }}
            />
          )}
        </span>
      ),
    },
  ];
}
