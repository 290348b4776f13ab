import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type {
  CreatedWebhook,
  ResentDeliveries,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
} from "../../shared/contract/webhooks.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { statusColor } from "../screen/status-color.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { timeWords, whenWords } from "../words/time-words.ts";

const MAKE = { what: "Make one", command: "mkt webhooks create <url>" };

/** The webhooks of a workspace. */
export function WebhookTable({ value }: ViewProps<WebhookList>): ReactElement {
  if (value.items.length === 0) {
    return (
      <Box flexDirection="column">
        <Text>No webhooks.</Text>
        <NextSteps steps={[MAKE]} />
      </Box>
    );
  }
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "webhook", cell: (webhook) => webhook.webhookId },
          { title: "name", cell: (webhook) => webhook.name, shrinks: "prose" },
          { title: "events", cell: (webhook) => webhook.events.join(" "), shrinks: "prose", drops: 1 },
          { title: "status", cell: (webhook) => webhook.status, color: (webhook) => statusColor(webhook.status) },
          { title: "waiting", cell: (webhook) => String(webhook.waiting), right: true },
          { title: "dead", cell: (webhook) => String(webhook.dead), right: true },
        ]}
      />
      <NextSteps steps={[MAKE]} />
    </Box>
  );
}

/** A webhook just made, or with a new secret: the only time that the secret is shown. */
export function WebhookWithSecret({ value }: ViewProps<CreatedWebhook>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{value.secret ?? ""}</Text>
      <Text>
        {value.secret === undefined
          ? "This was made before; its secret is not shown again."
          : "This secret is not shown again: give it to the receiver, which checks the signatures with it."}
      </Text>
      <Facts facts={webhookFacts(value)} />
      <NextSteps steps={[{ what: "Try it", command: shellLine("mkt", "webhooks", "test", value.webhookId) }]} />
    </Box>
  );
}

export function WebhookDetail({ value }: ViewProps<Webhook>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{value.name}</Text>
      <Facts facts={webhookFacts(value)} />
      <NextSteps
        steps={[
          value.status === "DISABLED"
            ? { what: "Enable it", command: shellLine("mkt", "webhooks", "enable", value.webhookId) }
            : { what: "What was sent", command: shellLine("mkt", "webhooks", "deliveries", value.webhookId) },
        ]}
      />
    </Box>
  );
}

const REASONS = {
  ASKED: "somebody disabled it",
  GONE: "it answered 410 (gone)",
  KEY_REVOKED: "the key that made it was revoked",
  KEY_EXPIRED: "the key that made it has expired",
} as const;

function webhookFacts(webhook: Webhook): [string, string | undefined][] {
  const { disabledReason, previousSecretUntil } = webhook;
  return [
    ["webhook", webhook.webhookId],
    ["address", webhook.url],
    ["events", webhook.events.join(" ")],
    ["format", webhook.format],
    ["status", webhook.status],
    ["because", disabledReason && REASONS[disabledReason]],
    ["old secret until", previousSecretUntil && timeWords(previousSecretUntil)],
    ["waiting", String(webhook.waiting)],
    ["dead", String(webhook.dead)],
    ["made", timeWords(webhook.createdAt)],
  ];
}

/** What was sent to a webhook, and what waits. */
export function DeliveryTable({ value }: ViewProps<WebhookDeliveryPage>): ReactElement {
  if (value.items.length === 0) return <Text>No deliveries.</Text>;
  const dead = value.items.find(({ state }) => state === "DEAD");
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "delivery", cell: (delivery) => delivery.deliveryId },
          { title: "event", cell: (delivery) => delivery.type },
          { title: "state", cell: (delivery) => delivery.state, color: (delivery) => statusColor(delivery.state) },
          { title: "tries", cell: (delivery) => String(delivery.attempts), right: true },
          { title: "answer", cell: answerWords, shrinks: "prose", drops: 1 },
          { title: "at", cell: (delivery) => whenWords(delivery.at), drops: 2 },
        ]}
      />
      {dead !== undefined && (
        <NextSteps
          steps={[
            { what: "Send it again", command: shellLine("mkt", "webhooks", "resend", dead.webhookId, dead.deliveryId) },
          ]}
        />
      )}
    </Box>
  );
}

export function DeliveryDetail({ value }: ViewProps<WebhookDelivery>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{value.state}</Text>
      <Facts
        facts={[
          ["delivery", value.deliveryId],
          ["event", value.type],
          ["answer", answerWords(value)],
          ["next try", value.nextAttemptAt && timeWords(value.nextAttemptAt)],
        ]}
      />
    </Box>
  );
}

function answerWords({ lastAttempt }: WebhookDelivery): string {
  return lastAttempt?.error ?? (lastAttempt?.httpStatus === undefined ? "" : String(lastAttempt.httpStatus));
}

export function Resent({ value }: ViewProps<ResentDeliveries>): ReactElement {
  const { length } = value.ids;
  return <Text>{length === 0 ? "Nothing to send again." : `${length} will be sent again.`}</Text>;
}
