import type { Settings } from "../connection/read-settings.ts";
import { addNames, namesFolder } from "./name-cache.ts";
import { namesInAnswer } from "./names-in-answer.ts";

/** Remembers for completion what an answer names. Rejects when the cache cannot be written. */
export async function rememberNames(settings: Settings, { body }: { body: unknown }): Promise<void> {
  const { endpoints, inputs, runs } = namesInAnswer(body);
  if (endpoints.length === 0 && runs.length === 0) return;
  const folder = namesFolder(settings);
  if (folder === undefined) return;
  await addNames(folder, "endpoints", endpoints);
  await addNames(folder, "inputs", inputs);
  await addNames(folder, "runs", runs);
}
