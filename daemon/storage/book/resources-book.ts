import type { ResourceLine } from "../../resources/resource-lines.ts";
import type { ResourceRecord } from "../../resources/resource-record.ts";
import type { RunLine } from "../../runs/run-lines.ts";

/** Durable things at providers: resource id → record, in the order of creation. */
export interface ResourcesBook {
  readonly resources: Map<string, ResourceRecord>;
}

export function emptyResourcesBook(): ResourcesBook {
  return { resources: new Map() };
}

export function applyResources(book: ResourcesBook, line: RunLine | ResourceLine): void {
  if (line.t === "resource.changed") book.resources.set(line.resource.resourceId, line.resource);
  if (line.t === "run.done") {
    for (const resource of line.res ?? []) book.resources.set(resource.resourceId, resource);
  }
}
