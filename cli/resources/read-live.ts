import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { ExternalResourceDetail, Resource } from "../../shared/contract/resources.ts";

/** What a provider tells of one kind of detail now, or why it does not. */
export type LiveDetail = ExternalResourceDetail | { readonly kind: string; readonly error: string };

/** Asks for every detail that a resource has; one that cannot be had keeps none of the others back. */
export async function readLive(client: Client, resource: Resource): Promise<LiveDetail[]> {
  const { resourceId } = resource;
  return await Promise.all(
    (resource.externalResources ?? []).map(async ({ kind }) => {
      try {
        return await client.getResourceExternal({ params: { resourceId, kind } });
      } catch (error) {
        if (error instanceof ServiceError) return { kind, error: error.message };
        throw error;
      }
    }),
  );
}
