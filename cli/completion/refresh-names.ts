import { allPages } from "../connection/all-pages.ts";
import type { CliIo } from "../core/cli-io.ts";
import type { Settings } from "../connection/read-settings.ts";
import { createServiceClient } from "../connection/service-client.ts";
import { addNames, namesFolder, replaceEndpoints } from "./name-cache.ts";
import { namesInAnswer } from "./names-in-answer.ts";

const timeoutMs = 30_000;

/**
 * Asks the service in use for its endpoints and remembers them. Without the key, which its public lists do not need.
 */
export async function refreshNames({ key: _key, ...settings }: Settings, io: CliIo): Promise<void> {
  const folder = namesFolder(settings);
  if (folder === undefined || settings.baseUrl === undefined) return;
  const client = await createServiceClient(settings, io);
  const signal = AbortSignal.timeout(timeoutMs);
  const { items, isWhole } = await allPages((query) => client.listPublicEndpoints({ query }, { signal }));
  const names = namesInAnswer({ items }).endpoints;
  // The rest of a longer list is remembered as it is found.
  if (isWhole) await replaceEndpoints(folder, names);
  else await addNames(folder, "endpoints", names);
}
