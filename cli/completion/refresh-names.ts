import type { CliIo } from "../cli-io.ts";
import type { Settings } from "../config.ts";
import { createServiceClient } from "../service-client.ts";
import { addNames, namesFolder, replaceEndpoints } from "./name-cache.ts";
import { namesInAnswer } from "./names-in-answer.ts";

const pageSize = 100;
/** What is more than this is learnt as it is found. */
const mostPages = 50;
const timeoutMs = 30_000;

/** Asks the service in use for its endpoints and remembers them. Without the key, which its public lists do not need. */
export async function refreshNames({ key: _key, ...settings }: Settings, io: CliIo): Promise<void> {
  const folder = await namesFolder(settings);
  if (folder === undefined || settings.baseUrl === undefined) return;
  const client = await createServiceClient(settings, io);
  const signal = AbortSignal.timeout(timeoutMs);
  const names: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
    const answer = await client.listPublicEndpoints({ query }, { signal });
    names.push(...namesInAnswer(answer).endpoints);
    cursor = answer.cursor ?? undefined;
    if (cursor === undefined) return await replaceEndpoints(folder, names);
  }
  await addNames(folder, "endpoints", names);
}
