import type { WhoamiResponse } from "../../shared/contract/identity.ts";
import type { Sourced } from "./config.ts";

/**
 * That another workspace than the one asked for is used, if so: a key is bound to its own, and the service passes over what
 * is asked for with it. Contract semantics, 1.
 */
export function ignoredWorkspace({ value, from }: Sourced, { workspace }: WhoamiResponse): string | undefined {
  if (workspace === undefined) return `The workspace ${value}, from ${from}, was ignored.`;
  const { workspaceId, slug, name } = workspace;
  if ([workspaceId, slug, name].includes(value)) return undefined;
  return `The workspace ${value}, from ${from}, was ignored: the key is bound to ${slug || workspaceId}.`;
}
