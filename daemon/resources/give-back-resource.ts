import { isoNow } from "../base/clock.ts";
import { NoAnswerError } from "../providers/protocol/provider.ts";
import { commitChange } from "./commit-change.ts";
import { endDuplicate } from "./end-duplicate.ts";
import type { KeeperParts } from "./keeper-parts.ts";
import { released, releaseFailed } from "./resource-lifecycle.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";

const CODE = "REQUESTED";

/**
 * Releases a resource at its provider and records the result. After a crash in between it is released again, which the
 * provider reports as done. Rejects with `GuardFailed` if the resource has changed since it was read, and as `commit`
 * does.
 */
export async function giveBackResource(parts: KeeperParts, resource: ResourceRecord): Promise<void> {
  if (await endDuplicate(parts, resource)) return;
  const failure = await giveBack(parts, resource);
  const at = isoNow(parts.clock);
  const reason = resource.releaseReason ?? "It was given back";
  const after =
    failure === undefined ? released(resource, at, { code: CODE, reason }) : releaseFailed(resource, at, failure);
  await commitChange(parts.store, { before: resource, after });
  const { resourceId, provider, workspaceId } = resource;
  if (failure === undefined) parts.logger.info({ resourceId, provider, workspaceId }, "a resource was given back");
  else parts.logger.warn({ resourceId, provider, workspaceId, reason: failure }, "a resource was not taken back");
}

/** Why the release failed; undefined if it succeeded, or if the provider does not need to be told. */
async function giveBack(
  { catalog, provider, signal }: KeeperParts,
  resource: ResourceRecord,
): Promise<string | undefined> {
  const known = catalog.findResource(resource.provider, resource.resource);
  if (known === undefined) return `${resource.provider} is no longer in the catalog`;
  try {
    const answer = await provider.giveBack(known, resource, { signal });
    if (answer === undefined || answer.ok) return undefined;
    return answer.message ?? `The provider answered ${answer.httpStatus}`;
  } catch (error) {
    if (!(error instanceof NoAnswerError) || signal.aborted) throw error;
    return error.message;
  }
}
