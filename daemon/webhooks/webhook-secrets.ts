import type { WebhookRecord, WebhookSecretRecord } from "../ledger/records/webhook-records.ts";
import type { SecretBox } from "./secret-box.ts";
import { newSigningSecret } from "./signature.ts";

/** The whole address; undefined when its key is not on this machine. */
export async function openAddress(
  box: SecretBox,
  { webhookId, sealedUrl }: Pick<WebhookRecord, "webhookId" | "sealedUrl">,
): Promise<URL | undefined> {
  const url = await box.open(sealedUrl, addressOf(webhookId));
  return url === undefined ? undefined : new URL(url);
}

export async function sealAddress(box: SecretBox, webhookId: string, url: URL): Promise<string> {
  return await box.seal(url.href, addressOf(webhookId));
}

/** The secrets that sign at a time, the newest first; undefined when their key is not on this machine. */
export async function openSecrets(
  box: SecretBox,
  { webhookId, secrets }: Pick<WebhookRecord, "webhookId" | "secrets">,
  at: string,
): Promise<readonly string[] | undefined> {
  const valid = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at);
  const opened = await Promise.all(valid.map(async ({ sealed }) => await box.open(sealed, secretOf(webhookId))));
  const readable = opened.filter((secret) => secret !== undefined);
  return readable.length === opened.length && readable.length > 0 ? readable : undefined;
}

/** A new signing secret, as it is shown once and as it is kept. */
export async function makeSecret(
  box: SecretBox,
  webhookId: string,
  createdAt: string,
): Promise<{ readonly secret: string; readonly record: WebhookSecretRecord }> {
  const secret = newSigningSecret();
  return { secret, record: { sealed: await box.seal(secret, secretOf(webhookId)), createdAt } };
}

function addressOf(webhookId: string): string {
  return `webhook ${webhookId} address`;
}

function secretOf(webhookId: string): string {
  return `webhook ${webhookId} secret`;
}
