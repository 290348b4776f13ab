import { copyFile, mkdir, readFile, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile, replacePrivateFile } from "../../../shared/replace-file.ts";
import { refusedInput } from "../../core/cli-error.ts";
import type { InstallPlan } from "./plan-install.ts";

/**
 * Carries out a plan atomically, and keeps a backup beside the file; returns its path. A link is followed: its target
 * is changed. Rejects, changing nothing, when somebody else has changed the file since the plan was made.
 */
export async function writeConfig(
  { file, before, after }: InstallPlan,
  { isSecret, now }: { isSecret: boolean; now: Date },
): Promise<{ backup?: string }> {
  const path = await realpath(file).catch(() => file);
  const current = await readFile(path, "utf8").catch(() => undefined);
  if (current !== before) throw refusedInput(`${file} was changed in the meantime; nothing was written.`);
  const backup = before === undefined ? undefined : `${path}.${now.toISOString().replace(/[-:]|\.\d+/g, "")}.bak`;
  if (backup !== undefined) await copyFile(path, backup);
  if (isSecret) {
    await mkdir(dirname(path), { recursive: true });
    await replacePrivateFile(path, after);
  } else {
    await replaceFile(path, after);
  }
  return backup === undefined ? {} : { backup };
}
