import { join } from "node:path";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { nodeFiles } from "../storage/files.ts";
import { ScrubDocument } from "../storage/journal/scrub/scrub-document.ts";

/** The damage that the daemon running on a data folder has found; undefined when it has not checked yet. */
export async function readKnownDamage(dataDir: string): Promise<ScrubDocument | undefined> {
  let text: string;
  try {
    text = (await nodeFiles().readFile(join(dataDir, "docs", "scrub.json"))).toString("utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return ScrubDocument.parse(JSON.parse(text));
}
