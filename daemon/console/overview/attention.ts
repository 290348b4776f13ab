import type { Attention } from "../../../shared/contract/overview.ts";
import { grants } from "../../../shared/contract/scope-grants.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../../http/callers/caller.ts";
import type { WebhookRecord } from "../../ledger/records/webhook-records.ts";
import type { OverviewParts } from "./overview-parts.ts";

/** Of one kind; a list that nobody reads to its end helps nobody. */
const MOST_OF_KIND = 20;

/** What a person should look at, as far as the caller may read it. The most urgent kinds come first. */
export async function attentionOf(parts: OverviewParts, caller: WorkspaceCaller): Promise<Attention[]> {
  const isWhole = onlyKeyOf(caller) === undefined;
  const may = (scope: string) => isWhole && grants(caller.scopes, scope);
  const found = await Promise.all([
    grants(caller.scopes, "runs:read") ? waitingApprovals(parts, caller) : [],
    caller.operator ? failingSecrets(parts, caller) : [],
    may("resources:read") ? failingConnections(parts, caller) : [],
    may("runs:read") ? pausedSchedules(parts, caller) : [],
    may("controls:read") ? failingWebhooks(parts, caller) : [],
    may("runs:read") ? failingProviders(parts, caller) : [],
    caller.operator ? catalogProblems(parts) : [],
  ]);
  return found.flatMap((ofKind) => ofKind.slice(0, MOST_OF_KIND));
}

function waitingApprovals({ approvals }: OverviewParts, caller: WorkspaceCaller): Attention[] {
  return approvals.list(caller, { limit: MOST_OF_KIND }).items.map(({ runId, provider, endpoint, createdAt }) => ({
    kind: "approvalWaiting",
    subject: runId,
    text: `A run of ${provider}${endpoint} waits for approval`,
    since: createdAt,
    next: `mkt approvals show ${runId}`,
  }));
}

async function failingSecrets(parts: OverviewParts, { workspaceId }: WorkspaceCaller): Promise<Attention[]> {
  const { secretVerdicts, catalog, health } = parts;
  const verdicts = await Promise.all(catalog.providers().map(async (provider) => await secretVerdicts.of(provider)));
  const failing = verdicts.flatMap((known) => (known?.verdict === "failing" ? [known] : []));
  const missing = catalog.providers().flatMap(({ provider }): Attention[] => {
    const entries = catalog.entriesOf(provider);
    // The catalog has many providers that nobody here has ever used, and whose secret nobody misses.
    const wasUsed = entries.some(({ path }) => health.metrics(provider, path, workspaceId).status !== "unknown");
    const availability = entries[0] && catalog.availability(provider, entries[0].path);
    if (!wasUsed || availability === undefined || availability.available) return [];
    if (availability.reason !== "missing secret") return [];
    const [name = ""] = availability.missing;
    return [
      {
        kind: "secretMissing",
        subject: provider,
        text: `${provider} cannot be called before ${availability.missing.join(", ")} is set`,
        next: `mkt secrets set ${name}`,
      },
    ];
  });
  return [
    ...failing.map(({ provider, since }) => ({
      kind: "secretFailing",
      subject: provider,
      text: `${provider} refuses its secret`,
      ...(since !== undefined && { since }),
      next: `mkt secrets test ${provider}`,
    })),
    ...missing,
  ];
}

async function failingConnections({ connections }: OverviewParts, caller: WorkspaceCaller): Promise<Attention[]> {
  return (await connections.list(caller))
    .filter(({ why }) => why !== undefined)
    .map(({ provider, why = "", lastFailure, next }) => ({
      kind: "connectionFailing",
      subject: provider,
      text: why,
      ...(lastFailure !== undefined && { since: lastFailure.at }),
      ...(next !== undefined && { next }),
    }));
}

async function pausedSchedules({ store }: OverviewParts, { workspaceId }: WorkspaceCaller): Promise<Attention[]> {
  return (await store.listSchedules(workspaceId)).flatMap(({ schedule, pause }) => {
    // What a person paused is as they want it.
    if (pause === undefined || pause.reason === "ASKED") return [];
    const { scheduleId, name } = schedule;
    return [
      {
        kind: "schedulePaused",
        subject: scheduleId,
        text: `The schedule ${name ?? scheduleId} is paused: ${pause.message}`,
        since: pause.at,
        next: `mkt schedules show ${scheduleId}`,
      },
    ];
  });
}

const WHY_DISABLED = {
  GONE: "its receiver answered that it is gone",
  KEY_REVOKED: "the key that made it was revoked",
  KEY_EXPIRED: "the key that made it has expired",
} as const;

/** What was given up longer ago is past: nobody wants to hear of it each day. */
const GIVEN_UP_WITHIN_MS = 7 * 86_400_000;

async function failingWebhooks(parts: OverviewParts, { workspaceId }: WorkspaceCaller): Promise<Attention[]> {
  const webhooks = await parts.store.listWebhooks(workspaceId);
  const found = await Promise.all(
    webhooks.map(async (webhook) => disabledWebhook(webhook) ?? (await givenUp(parts, webhook))),
  );
  return found.flatMap((one) => one ?? []);
}

function disabledWebhook({ webhookId, name, disabled }: WebhookRecord): Attention[] | undefined {
  if (disabled === undefined) return undefined;
  // What a person disabled is as they want it.
  if (disabled.why === "ASKED") return [];
  return [
    {
      kind: "webhookDisabled",
      subject: webhookId,
      text: `The webhook ${name} is told of nothing: ${WHY_DISABLED[disabled.why]}`,
      since: disabled.at,
      next: `mkt webhooks enable ${webhookId}`,
    },
  ];
}

async function givenUp({ store, clock }: OverviewParts, { webhookId, name }: WebhookRecord): Promise<Attention[]> {
  const dead = (await store.listDeliveries(webhookId)).filter(
    ({ state, at, last }) => state === "DEAD" && Date.parse(last?.at ?? at) >= clock.now() - GIVEN_UP_WITHIN_MS,
  );
  const newest = dead.at(-1);
  if (newest === undefined) return [];
  const count = dead.length === 1 ? "1 delivery was" : `${dead.length} deliveries were`;
  return [
    {
      kind: "webhookFailing",
      subject: webhookId,
      text: `The webhook ${name} misses events: ${count} given up${newest.last?.error === undefined ? "" : `, the last since ${newest.last.error}`}`,
      since: newest.last?.at ?? newest.at,
      next: `mkt webhooks deliveries ${webhookId} --state DEAD`,
    },
  ];
}

function failingProviders({ catalog, health }: OverviewParts, { workspaceId }: WorkspaceCaller): Attention[] {
  const down = new Map<string, string[]>();
  for (const { provider, path } of catalog.entries()) {
    if (health.metrics(provider.provider, path, workspaceId).status !== "outage") continue;
    down.set(provider.provider, [...(down.get(provider.provider) ?? []), path]);
  }
  return [...down].map(([provider, paths]) => ({
    kind: "providerFailing",
    subject: provider,
    text: `${provider} fails at ${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}`,
    // Of every status: a run whose provider answered with an error is complete.
    next: `mkt runs --provider ${provider}`,
  }));
}

function catalogProblems({ catalog }: OverviewParts): Attention[] {
  return catalog.problems().map(({ file, path, line, message }) => ({
    kind: "catalogProblem",
    subject: line === undefined ? file : `${file}:${line}`,
    text: path === "" ? message : `${path}: ${message}`,
    next: "mkt catalog list",
  }));
}
