import type { ResourceLine } from "../../ledger/lines/resource-lines.ts";
import { isLive, type ProviderId, type ResourceRecord } from "../../ledger/records/resource-record.ts";
import type { RunLine } from "../../ledger/lines/run-lines.ts";
import { resourcesOf } from "../ended-resource.ts";

/** Durable things at providers that live: resource id → record, in the order of creation. Those that ended are in the lines alone. */
export interface ResourcesBook {
  readonly resources: Map<string, ResourceRecord>;
}

export function emptyResourcesBook(): ResourcesBook {
  return { resources: new Map() };
}

export function applyResources(book: ResourcesBook, line: RunLine | ResourceLine): void {
  for (const resource of resourcesOf(line)) put(book, resource);
}

/**
 * The resource, of any workspace, that has this id at its provider: the oldest live one. There can be several only in
 * folders of older versions, which allowed an id to be used twice.
 */
export function holderOf(book: ResourcesBook, id: ProviderId): ResourceRecord | undefined {
  const [first] = idsOf(book).get(nameOf(id)) ?? [];
  return first === undefined ? undefined : book.resources.get(first);
}

/** Live resources with the same id at their provider, the one that has it first. */
export function sharedIds(book: ResourcesBook): (readonly ResourceRecord[])[] {
  return [...idsOf(book).values()]
    .filter((ids) => ids.length > 1)
    .map((ids) => ids.flatMap((id) => book.resources.get(id) ?? []));
}

/**
 * Id at the provider → ids of the live resources that have it, in the order of creation. It is derived from the
 * records, so it is not part of the book or of snapshots: it is built at its first use and kept up to date from then
 * on.
 */
const indexes = new WeakMap<ResourcesBook["resources"], Map<string, readonly string[]>>();

function idsOf({ resources }: ResourcesBook): Map<string, readonly string[]> {
  const known = indexes.get(resources);
  if (known !== undefined) return known;
  const index = new Map<string, readonly string[]>();
  for (const resource of resources.values()) note(index, resource);
  indexes.set(resources, index);
  return index;
}

/** Takes out what has ended, which snapshots of earlier versions have. */
export function takeEnded({ resources }: ResourcesBook): readonly ResourceRecord[] {
  const ended = [...resources.values()].filter((resource) => !isLive(resource));
  for (const { resourceId } of ended) resources.delete(resourceId);
  return ended;
}

function put({ resources }: ResourcesBook, resource: ResourceRecord): void {
  if (isLive(resource)) resources.set(resource.resourceId, resource);
  else resources.delete(resource.resourceId);
  const index = indexes.get(resources);
  if (index !== undefined) note(index, resource);
}

function note(index: Map<string, readonly string[]>, resource: ResourceRecord): void {
  const { resourceId } = resource;
  const name = nameOf(resource);
  const before = index.get(name) ?? [];
  const others = before.filter((id) => id !== resourceId);
  const after = !isLive(resource) ? others : before.includes(resourceId) ? before : [...before, resourceId];
  if (after.length === 0) index.delete(name);
  else index.set(name, after);
}

function nameOf({ provider, resource, externalId }: ProviderId): string {
  return JSON.stringify([provider, resource, externalId]);
}
