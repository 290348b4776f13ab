import type { Hints } from "../../shared/contract/hints.ts";
import type { Resource, ResourceEvent, ResourceReleaseAccepted } from "../../shared/contract/resources.ts";
import { renderHints } from "../../shared/hints/render-hints.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import type { ClientKind } from "../../shared/hints/client-kind.ts";
import { renewLead } from "./rent-periods.ts";
import type { ResourceEventRecord, ResourceRecord } from "../ledger/records/resource-record.ts";

/** Members of the contract that the manifest's `data` may fill, with the type that each must have. */
const NAMED_DATA = {
  phoneNumber: "string",
  country: "string",
  numberType: "string",
  name: "string",
  summary: "string",
  cdpUrl: "string",
  baseUrl: "string",
  targetUrl: "string",
  proxyCountryCode: "string",
  timeoutSeconds: "number",
} as const;

export interface ResourceAspects {
  /** Its provider can be asked about it. */
  readonly isReadable: boolean;
  /** Its release can be asked for. */
  readonly isReleasable: boolean;
  readonly client: ClientKind | undefined;
}

/** A resource as lists and GET give it. docs/contract.md, "Resources". */
export function toResource(resource: ResourceRecord, { isReadable, isReleasable, client }: ResourceAspects): Resource {
  const hints: Hints = isReleasable
    ? { "give it back": { kind: "releaseResource", resourceId: resource.resourceId } }
    : {};
  const rendered = renderHints(hints, client);
  return {
    resourceId: resource.resourceId,
    provider: resource.provider,
    providerName: resource.providerName,
    resourceSlug: resource.resource,
    resourceType: resource.resourceType,
    displayName: resource.displayName,
    ...(resource.description !== undefined && { description: resource.description }),
    externalId: resource.externalId,
    identifier: resource.identifier,
    ...namedData(resource.data),
    state: resource.state,
    releasable: isReleasable,
    provisionedBy: resource.provisionedBy,
    ...(resource.releasedBy !== undefined && { releasedBy: resource.releasedBy }),
    ...(resource.renewal !== undefined && { renewal: toRenewal(resource.renewal) }),
    createdAt: resource.createdAt,
    updatedAt: resource.updatedAt,
    ...(resource.releasedAt !== undefined && { releasedAt: resource.releasedAt }),
    ...(resource.releaseReasonCode !== undefined && { releaseReasonCode: resource.releaseReasonCode }),
    ...(resource.releaseReason !== undefined && { releaseReason: resource.releaseReason }),
    ...(isReadable && { externalResources: [{ kind: resource.resource, displayName: resource.displayName }] }),
    ...(rendered !== undefined && { hints: rendered }),
  };
}

function toRenewal({
  amountMicroDollars,
  period,
  lastAttempt,
  ...dates
}: NonNullable<ResourceRecord["renewal"]>): Resource["renewal"] {
  return {
    price: { type: "BY_PERIOD", amount: toMoney(amountMicroDollars), period },
    renewLead: renewLead(period),
    ...dates,
    ...(lastAttempt !== undefined && {
      lastAttempt: {
        at: lastAttempt.at,
        outcome: lastAttempt.outcome,
        ...(lastAttempt.reason !== undefined && { reason: lastAttempt.reason }),
      },
    }),
  };
}

function namedData(data: ResourceRecord["data"]): Partial<Resource> {
  const fitting = Object.entries(NAMED_DATA).filter(([name, type]) => typeof data[name] === type);
  return Object.fromEntries(
    fitting
      .map(([name]) => [name, data[name]])
      .filter(([, value]) => typeof value === "string" || Number.isInteger(value)),
  ) as Partial<Resource>;
}

export function toResourceEvent({ amountMicroDollars, ...event }: ResourceEventRecord): ResourceEvent {
  return {
    ...event,
    ...(amountMicroDollars !== undefined && { amount: toMoney(amountMicroDollars) }),
  };
}

export function toReleaseAccepted({ resourceId, release, updatedAt }: ResourceRecord): ResourceReleaseAccepted {
  const dueAt = release?.dueAt ?? updatedAt;
  const message =
    dueAt > updatedAt
      ? `It stays usable until ${dueAt}, which is paid for; then it is released at the provider`
      : "It is being given back to the provider";
  return { resourceId, state: "EXPIRING", message };
}
