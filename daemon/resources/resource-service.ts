import { setImmediate } from "node:timers/promises";
import { ApiError } from "../../shared/errors.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import { mayReach, onlyMakerOf, type WorkspaceCaller } from "../http/callers/caller.ts";
import { NoAnswerError, type ResourceDetail, type ResourceKeeper } from "../providers/protocol/provider.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import { commitChange } from "./commit-change.ts";
import { mayBeReleased, releaseAsked } from "./resource-lifecycle.ts";
import { isLive, type ResourceRecord } from "../ledger/records/resource-record.ts";
import type { ResourceFilter, ResourcePage, ResourcePlace, ResourceStore } from "../ledger/stores/resource-store.ts";

export interface ListedResources extends Omit<ResourceFilter, "provisionedBy"> {
  /** Only what belongs to this resource; nothing does yet, but it must be there. */
  readonly parent?: string | undefined;
}

/** What a resource of the caller's workspace is, does and becomes. docs/contract.md, "Resources". */
export interface ResourceService {
  /** One page, newest first; `next` is where to go on. Throws notFound for an unknown parent. */
  list(caller: WorkspaceCaller, filter: ListedResources, place: ResourcePlace): Promise<ResourcePage>;
  /** Throws notFound. */
  get(caller: WorkspaceCaller, resourceId: string): Promise<ResourceRecord>;
  /** Whether `readLive` has somebody to ask. */
  isReadable(resource: ResourceRecord): boolean;
  /** Whether `release` would take it, and has not yet. */
  isReleasable(resource: ResourceRecord): boolean;
  /** Asked of the provider now; nothing is stored. Throws notFound, badGateway when the provider does not tell. */
  readLive(
    caller: WorkspaceCaller,
    resourceId: string,
    options: { readonly kind: string; readonly signal: AbortSignal },
  ): Promise<{ readonly resource: ResourceRecord; readonly data: ResourceDetail["data"] }>;
  /** Resolves when the wish is durable; asking again changes nothing. Throws notFound, conflict. */
  release(caller: WorkspaceCaller, resourceId: string): Promise<ResourceRecord>;
}

export interface ResourceServiceParts {
  readonly store: ResourceStore & Committer;
  readonly catalog: Pick<Catalog, "findResource">;
  readonly provider: ResourceKeeper;
  readonly clock: Clock;
  /** Called when something may be due. */
  readonly onChanged: () => void;
}

export function createResourceService(parts: ResourceServiceParts): ResourceService {
  const { store, catalog } = parts;
  const get: ResourceService["get"] = async (caller, resourceId) => {
    const found = await store.findResource(caller.workspaceId, resourceId);
    if (found === undefined || !mayReach(caller, found)) throw notFound(resourceId);
    return found;
  };

  return {
    get,
    isReadable: (resource) => isReadable(catalog, resource),
    isReleasable: (resource) => resource.state !== "EXPIRING" && mayBeReleased(resource) && canEnd(catalog, resource),

    async list(caller, { parent, provider, resourceType, state }, place) {
      if (parent !== undefined) {
        await get(caller, parent);
        return { items: [] };
      }
      const filter = { provider, resourceType, state, provisionedBy: onlyMakerOf(caller) };
      return await store.listResources(caller.workspaceId, filter, place);
    },

    readLive: async (caller, resourceId, options) => await readLive(parts, await get(caller, resourceId), options),

    async release(caller, resourceId) {
      for (;;) {
        const released = await tryRelease(parts, await get(caller, resourceId), caller);
        if (released !== undefined) return released;
        // Its rent is charged, or another release asked for, at this very moment: readable once it is durable.
        await setImmediate();
      }
    },
  };
}

type Resources = Pick<Catalog, "findResource">;

function isReadable(catalog: Resources, resource: ResourceRecord): boolean {
  return isLive(resource) && catalog.findResource(resource.provider, resource.resource)?.verify !== undefined;
}

/** A resource with rent can always end. */
function canEnd(catalog: Resources, { provider, resource, renewal }: ResourceRecord): boolean {
  return renewal !== undefined || catalog.findResource(provider, resource)?.release !== undefined;
}

async function readLive(
  { store, catalog, provider }: ResourceServiceParts,
  resource: ResourceRecord,
  { kind, signal }: { readonly kind: string; readonly signal: AbortSignal },
): Promise<{ readonly resource: ResourceRecord; readonly data: ResourceDetail["data"] }> {
  const { resourceId } = resource;
  const known = catalog.findResource(resource.provider, resource.resource);
  const holder = await store.findHolder(resource);
  const isAnothers = holder !== undefined && holder.resourceId !== resourceId;
  if (known === undefined || kind !== resource.resource || !isReadable(catalog, resource) || isAnothers) {
    throw new ApiError("notFound", `Resource ${resourceId} has no ${kind} to read`);
  }
  const detail = await askProvider(provider.verify(known, resource, { signal }));
  if (detail === undefined || !detail.success) {
    throw new ApiError("badGateway", `The provider gave no information about it: ${detail?.message ?? "no answer"}`);
  }
  return { resource, data: detail.data };
}

/** Undefined when another change of the resource was committed first. Throws conflict when it cannot be released. */
async function tryRelease(
  { store, catalog, clock, onChanged }: ResourceServiceParts,
  resource: ResourceRecord,
  { actor }: WorkspaceCaller,
): Promise<ResourceRecord | undefined> {
  if (!mayBeReleased(resource)) throw cannotBeReleased(resource, `it is ${resource.state}`);
  if (resource.state === "EXPIRING") return resource;
  if (!canEnd(catalog, resource)) throw cannotBeReleased(resource, "its provider has no way to take it back");
  const expiring = releaseAsked(resource, isoNow(clock), actor);
  try {
    await commitChange(store, { before: resource, after: expiring });
  } catch (error) {
    if (error instanceof GuardFailed) return undefined;
    throw error;
  }
  onChanged();
  return expiring;
}

function cannotBeReleased({ resourceId }: ResourceRecord, why: string): ApiError {
  return new ApiError("conflict", `Resource ${resourceId} cannot be released: ${why}`);
}

async function askProvider<Told>(asking: Promise<Told>): Promise<Told> {
  try {
    return await asking;
  } catch (cause) {
    if (cause instanceof NoAnswerError) throw new ApiError("badGateway", cause.message, { cause });
    throw cause;
  }
}

function notFound(resourceId: string): ApiError {
  return new ApiError("notFound", `Resource ${resourceId} not found`);
}
