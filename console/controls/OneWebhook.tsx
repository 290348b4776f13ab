import { useState } from "preact/hooks";
import type { WebhookDelivery } from "../../shared/contract/webhooks.ts";
import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/Button.tsx";
import { Empty } from "../parts/Empty.tsx";
import { Facts } from "../parts/Facts.tsx";
import { Inert } from "../parts/Inert.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Section } from "../parts/Screen.tsx";
import { Shown } from "../parts/Shown.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { Time } from "../parts/Time.tsx";
import { href } from "../page/route.ts";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { counted } from "../words/amounts.ts";
import { inertText } from "../words/inert-text.ts";
import { whyDisabled, WebhookSecret } from "./webhook-parts.tsx";

interface OneWebhookProps {
  readonly webhookId: string;
  readonly cursor: string | undefined;
}

/** `#/controls/webhooks/<id>`: a receiver, what was sent to it, and what became of it. */
export function OneWebhook({ webhookId, cursor }: OneWebhookProps) {
  const params = { webhookId };
  const webhook = useLoaded(webhookId, async (client, signal) => client.getWebhook({ params }, { signal }));
  const deliveries = useLoaded(`${webhookId} ${cursor}`, async (client, signal) =>
    client.listWebhookDeliveries({ params, query: { limit: 50, cursor } }, { signal }),
  );
  const reload = () => {
    webhook.reload();
    deliveries.reload();
  };
  useReloadOn(["webhook", "reset"], reload);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const test = async () => {
    const delivery = await api().testWebhook({ params });
    say(
      delivery.state === "DELIVERED"
        ? `The test arrived: ${answerOf(delivery)}.`
        : `The test did not arrive: ${answerOf(delivery)}.`,
      delivery.state === "DELIVERED" ? "good" : "bad",
    );
    reload();
  };
  const rotate = async () => {
    const text = "Messages carry the signatures of both secrets for 24 hours, so that its receiver can change over.";
    if (!(await ask("Give it a new secret?", text, "New secret"))) return;
    setSecret((await api().rotateWebhookSecret({ params, body: {} })).secret);
    reload();
  };
  return (
    <>
      <p class="back">
        <a href={href(["controls", "webhooks"])}>All webhooks</a>
      </p>
      <Shown of={webhook}>
        {(one) => (
          <Section
            title={inertText(one.name)}
            aside={
              <div class="actions">
                {may("testWebhook") && one.status === "ENABLED" && <Button onPress={test}>Send a test</Button>}
                {may("rotateWebhookSecret") && <Button onPress={rotate}>New secret</Button>}
                {may("resendWebhookDeliveries") && one.status === "ENABLED" && one.dead > 0 && (
                  <Button
                    kind="primary"
                    onPress={async () => {
                      const since = one.createdAt;
                      const { ids } = await api().resendWebhookDeliveries({ params, body: { since } });
                      say(`${counted(ids.length, "delivery", "deliveries")} on the way again.`);
                      reload();
                    }}
                  >
                    Resend what was given up
                  </Button>
                )}
              </div>
            }
          >
            <Facts
              facts={[
                ["Address", <Inert key="u" text={one.url} />],
                ["Status", <Status key="s" status={one.status} />],
                ["Why", one.disabledReason && whyDisabled[one.disabledReason]],
                ["Events", inertText(one.events.join(", "))],
                ["Format", one.format === "slack" ? "a text for a chat" : "JSON, signed"],
                [
                  "Former secret",
                  one.previousSecretUntil && (
                    <>
                      signs too until <Time at={one.previousSecretUntil} as="clock" />
                    </>
                  ),
                ],
              ]}
            />
          </Section>
        )}
      </Shown>
      <Section title="Deliveries">
        <PagedTable
          of={deliveries}
          caption="Deliveries, newest first"
          columns={columns(webhookId, reload)}
          keyOf={({ deliveryId }) => deliveryId}
          at={["controls", "webhooks", webhookId]}
          cursor={cursor}
          empty={
            <Empty title="Nothing was sent to it yet." command={`mkt webhooks test ${webhookId}`} right="testWebhook">
              <p>Send a test above, or type:</p>
            </Empty>
          }
        />
      </Section>
      {secret !== undefined && <WebhookSecret text={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

/** What the last attempt met. */
function answerOf({ lastAttempt }: WebhookDelivery): string {
  if (lastAttempt === undefined) return "not tried yet";
  const { httpStatus, error } = lastAttempt;
  if (error !== undefined) return inertText(error.slice(0, 200));
  return httpStatus === undefined ? "no answer" : `it answered ${httpStatus}`;
}

function columns(webhookId: string, reload: () => void): readonly Column<WebhookDelivery>[] {
  return [
    {
      name: "Event",
      cell: ({ type, runId }) => (
        <span class="two-lines">
          {runId !== undefined && may("getRun") ? (
            <a href={href(["runs", runId])}>{inertText(type)}</a>
          ) : (
            inertText(type)
          )}
        </span>
      ),
    },
    {
      name: "Status",
      cell: (delivery) => (
        <span class="two-lines">
          <Status status={delivery.state} />
          <small class="muted">
            {answerOf(delivery)}
            {delivery.attempts > 1 && `, at attempt ${delivery.attempts}`}
          </small>
        </span>
      ),
    },
    { name: "Happened", align: "end", from: "medium", cell: ({ at }) => <Time at={at} as="clock" /> },
    { name: "Next try", align: "end", from: "wide", cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
    {
      name: "Send again",
      hideName: true,
      align: "end",
      cell: ({ deliveryId, type, state }) =>
        state !== "WAITING" &&
        may("resendWebhookDeliveries") && (
          <Button
            label={`Send again ${inertText(type)} ${deliveryId}`}
            onPress={async () => {
              await api().resendWebhookDeliveries({ params: { webhookId }, body: { ids: [deliveryId] } });
              say("On the way again.");
              reload();
            }}
          >
            Send again
          </Button>
        ),
    },
  ];
}
