import { useState } from "preact/hooks";
import type { Webhook } from "../../shared/contract/webhooks.ts";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Inert } from "../parts/Inert.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { href } from "../page/route.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { countText } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { DeleteButton, PauseButton } from "./ControlButtons.tsx";
import type { ListProps } from "./list-props.ts";
import { OneWebhook } from "./OneWebhook.tsx";
import { WebhookForm } from "./WebhookForm.tsx";
import { whyDisabled, WebhookSecret } from "./webhook-parts.tsx";

/** Who is told of what happens; one of them with what was sent to it. */
export function Webhooks({ cursor, one }: ListProps) {
  return one === undefined ? <AllWebhooks cursor={cursor} /> : <OneWebhook webhookId={one} cursor={cursor} />;
}

function AllWebhooks({ cursor }: ListProps) {
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
          <Empty
            title="Nobody is told of what happens here."
            command="mkt webhooks create https://example.com/hook"
            right="createWebhook"
          >
            <p>Have an address told of runs, budgets, failing providers and approvals:</p>
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
      {secret !== undefined && <WebhookSecret text={secret} onClose={() => setSecret(undefined)} />}
    </>
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
        <a class="row-link" href={href(["controls", "webhooks", webhook.webhookId])}>
          <span class="two-lines">
            <Inert text={webhook.name} most={90} />
            <small class="muted">
              <Inert text={webhook.url} most={90} />
            </small>
          </span>
        </a>
      ),
    },
    {
      name: "Status",
      cell: ({ status, disabledReason }) => (
        <span class="two-lines">
          <Status status={status} />
          {disabledReason !== undefined && <small class="muted">{whyDisabled[disabledReason]}</small>}
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
