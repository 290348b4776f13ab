import type { CatalogResource } from "../catalog/entries/catalog-entry.ts";
import type { Call } from "../manifest/manifest.ts";
import type { ConversationParts } from "./conversation.ts";
import { isOneOf, toldMessage } from "./answer/error-rules.ts";
import type { GivenBack, KnownResource, ProviderCallOptions, ResourceDetail } from "./protocol/provider.ts";
import { readData } from "./answer/read-resource.ts";
import type { JudgedExchange } from "./vendor-call.ts";

/** Statuses by which the provider no longer knows a resource, unless its file says otherwise. */
const GONE = [404, 410];
/** Statuses after which a resource counts as given back, because it was, or did not exist. */
const GIVEN_BACK = ["2xx", ...GONE] as const;

/** Reads the current state of a resource. Throws NoAnswerError. */
export async function verifyResource(
  parts: ConversationParts,
  kind: CatalogResource,
  resource: KnownResource,
  options: ProviderCallOptions,
): Promise<ResourceDetail | undefined> {
  const { verify } = kind;
  if (verify === undefined) return undefined;
  const { exchange, verdict } = await ask(parts, { kind, resource, call: verify }, options);
  const gone = [exchange.status, verdict.httpStatus].some((status) => isOneOf(verify.goneIf ?? GONE, status));
  return {
    httpStatus: verdict.httpStatus,
    success: verdict.success && !gone,
    gone,
    data: verdict.success && !gone ? readData(kind.data, exchange, parts.redactor) : {},
    ...messageOf(parts, verdict.message),
  };
}

/** Gives a resource back. Throws NoAnswerError. */
export async function giveBackAtProvider(
  parts: ConversationParts,
  kind: CatalogResource,
  resource: KnownResource,
  options: ProviderCallOptions,
): Promise<GivenBack | undefined> {
  const { release } = kind;
  if (release === undefined) return undefined;
  const { exchange, verdict } = await ask(parts, { kind, resource, call: release }, options);
  const ok = isOneOf(release.ok ?? GIVEN_BACK, exchange.status);
  return { ok, httpStatus: exchange.status, ...messageOf(parts, verdict.message) };
}

async function ask(
  { caller, secretsOf }: ConversationParts,
  { kind, resource, call }: { kind: CatalogResource; resource: KnownResource; call: Call },
  { signal }: ProviderCallOptions,
): Promise<JudgedExchange> {
  const { provider, http, errors } = kind;
  return await caller.make({
    entry: { provider, http, errors, input: {} },
    call,
    templates: {
      secrets: secretsOf(provider),
      input: {},
      runId: resource.resourceId,
      resourceId: resource.externalId,
    },
    ...(resource.workspaceId !== undefined && { workspaceId: resource.workspaceId }),
    facts: {},
    media: "auto",
    repeatable: true,
    retries: true,
    exchangeTimeoutMs: http.timeoutMs,
    maxResponseBytes: http.maxResponseBytes,
    signal,
    attempts: [],
  });
}

function messageOf({ redactor }: ConversationParts, message: string | undefined): { message?: string } {
  return message === undefined ? {} : { message: toldMessage(message, redactor) };
}
